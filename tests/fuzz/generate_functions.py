"""Device functions and nested functions: defaults, rest parameters, captured variables."""

import oracle
from kernel_types import unify

literals = {"int64": "3", "float64": "0.5", "bool": "True"}


class Parameter:
    """default: the text of a default value of exactly this type, or "None", which the body handles."""

    def __init__(self, name, t):
        self.name = name
        self.type = t
        self.default = None
        self.only_named = False

    @property
    def text(self):
        return self.name if self.default is None else f"{self.name}={self.default}"


class Signature:
    """The facts that a caller needs: name, parameters, whether it has a rest parameter, result type."""

    def __init__(self, rng, name, body, defaults=True):
        self.name = name
        self.rest = defaults and rng.random() < 0.12
        self.array = None  # the element type of a first parameter that is an array
        self.parameters = []
        for i in range(rng.randint(1, 3)):
            self.parameters.append(Parameter(body.make_name("a"), rng.choice(oracle.scalars)))
            if defaults and i and (rng.random() < 0.25 or self.parameters[i - 1].default):
                t = self.parameters[i].type
                value = literals.get(t) or f"np.{t}({rng.choice([1, 5, 100])})"
                self.parameters[i].default = "None" if rng.random() < 0.3 else value
        if defaults and rng.random() < 0.12:
            self.parameters.append(Parameter(body.make_name("k"), rng.choice(oracle.scalars)))
            self.parameters[-1].only_named = True
        for parameter in self.parameters:
            if parameter.default != "None":
                body.types[parameter.name] = parameter.type

    @property
    def text(self):
        own = [p.text for p in self.parameters if not p.only_named]
        own = ["xs", *own] if self.array else own
        only_named = [p.text for p in self.parameters if p.only_named]
        star = ["*rest"] if self.rest else ["*"] if only_named else []
        return ", ".join([*own, *star, *only_named])

    def write_prologue(self, body):
        """The statements that turn optional and rest parameters into numbers."""
        for parameter in self.parameters:
            if parameter.default == "None":
                name, t = body.make_name(), parameter.type
                value = literals.get(t) or f"np.{t}({body.rng.choice([1, 5, 100])})"
                body.add(f"if {parameter.name} is None:")
                body.add(f"    {name} = {value}")
                body.add("else:")
                body.add(f"    {name} = {parameter.name}")
                body.types[name] = t
        if self.rest:
            name = body.make_name()
            if body.chance(0.4):
                body.add(f"{name} = np.float64(sum(rest)) + len(rest)")
            else:
                body.add(f"{name} = 0.5")
                body.add("for item in rest:")
                body.add(f"    {name} += item")
            body.types[name] = "float64"


def write_body(rng, body, signature, count):
    """The statements of a function with `count` results; also sets the signature's result type."""
    kinds = [rng.choice(["make_integer", "make_real"]) for _ in range(count)]
    types = [None] * count

    def result(body):
        values = []
        for i, kind in enumerate(kinds):
            text, t = getattr(body, kind)(2)
            wanted = types[i]
            if wanted is not None and unify(t, wanted) != wanted:
                text, t = f"np.{wanted}({text})", wanted
            types[i] = wanted or t
            values.append(text)
        return "return " + ", ".join(values)

    body.returns = result
    signature.write_prologue(body)
    body.budget = rng.randint(1, 4)
    for _ in range(body.budget):
        body.write_statement()
    body.add(result(body))
    signature.result = types[0] if count == 1 else tuple(types)


class Functions:
    def list_callable(self):
        """The functions known here whose array parameter, if any, can be supplied."""
        functions = [*self.helpers, *self.functions.values()]
        return [f for f in functions if not f.array or self.list_arrays_of(f.array)]

    def list_arrays_of(self, element):
        """Texts of one-dimensional arrays of this type."""
        found = []
        for array in [*self.arrays, *self.locals]:
            if array.element != element or array.suffix or array.padded or min(array.shape) < 1:
                continue
            rest = ", 0" * (len(array.shape) - 2)
            found.append(array.name if len(array.shape) == 1 else f"{array.name}[-1{rest}]")
            if len(array.shape) == 1:
                found.append(f"{array.name}[::-1]")
        return found

    def write_helper_tuple(self):
        choices = [h for h in self.list_callable() if isinstance(h.result, tuple)]
        if not choices:
            return self.write_assignment()
        helper = self.rng.choice(choices)
        names = [self.make_name() for _ in helper.result]
        self.add(f"{', '.join(names)} = {helper.name}({self.make_helper_arguments(helper, 2)})")
        self.types.update(zip(names, helper.result, strict=True))

    def write_nested_function(self):
        """Define a function or lambda that captures some variables, which are not assigned afterwards."""
        if self.source.depth != self.base_depth or len(self.functions) >= 3:
            return self.write_assignment()
        name = self.make_name("g")
        inner = type(self)(self.rng, type(self.source)(), self.helpers)
        inner.source.depth = self.source.depth + 1
        inner.base_depth = inner.source.depth
        inner.names = self.names + 50
        inner.uniform = False
        inner.themes, inner.depth = self.themes, 2
        inner.arrays = [array for array in self.arrays if not array.padded]
        inner.functions = dict(self.functions)
        seen = {n: t for n, t in self.types.items() if n in self.fixed or self.chance(0.4)}
        inner.types = {n: t for n, t in seen.items() if t in oracle.scalars and n[0] != "w"}
        inner.fixed = set(inner.types)
        self.fixed |= inner.fixed
        if self.chance(0.4):
            signature = Signature(self.rng, name, inner, defaults=False)
            text, signature.result = inner.make_any(2)
            self.add(f"{name} = lambda {signature.text}: {text}")
        else:
            signature = Signature(self.rng, name, inner)
            write_body(self.rng, inner, signature, 1)
            self.add(f"def {name}({signature.text}):")
            self.source.lines += inner.source.lines
        self.names = max(self.names, inner.names)
        self.functions[name] = signature
