"""Statements with tuples, namedtuples, variables that may be None, tests of types, records."""

import oracle
from generate_expressions import is_float, is_literal
from kernel_types import Named, Optional, unify

named_tuples = {"Pair": ("first", "second"), "Triple": ("x", "y", "z")}


class Tuples:
    def write_tuple_variable(self):
        """Define a variable with a tuple or namedtuple of numbers; sometimes unpack it."""
        known = [(n, t) for n, t in self.types.items() if isinstance(t, tuple) and n != "several"]
        if known and self.chance(0.4):
            name, t = self.rng.choice(known)
            if t and all(item in oracle.scalars for item in t):
                items = ", ".join(self.make_of_type(item, 1) for item in t)
                self.add(f"{name} = {t.name if isinstance(t, Named) else ''}({items})")
                return
        if self.chance(0.5):
            name, (cls, fields) = self.make_name("p"), self.rng.choice(list(named_tuples.items()))
            values = [self.make_any(1) for _ in fields]
            texts = [text for text, _ in values]
            if self.chance(0.3):
                texts[1:] = [f"{f}={text}" for f, text in zip(fields[1:], texts[1:], strict=True)]
            self.add(f"{name} = {cls}({', '.join(texts)})")
            t = Named(cls, fields, [t for _, t in values])
        else:
            name, values = (
                self.make_name("t"),
                [self.make_any(1) for _ in range(self.rng.randint(2, 4))],
            )
            self.add(f"{name} = ({', '.join(text for text, _ in values)})")
            t = tuple(t for _, t in values)
        self.types[name] = t
        if isinstance(t, Named) and self.chance(0.5):
            field, target = self.rng.randrange(len(t)), self.make_name()
            self.add(f"{target} = {name}.{t.fields[field]}")
            self.types[target] = t[field]
        if self.chance(0.3):
            names = [self.make_name() for _ in t]
            self.add(f"{', '.join(names)} = {name}")
            self.types.update(zip(names, t, strict=True))

    def write_optional(self):
        """Define a variable that is None on one path, and use it on the other."""
        name = self.make_name("o")
        text, t = self.make_nonliteral(1)
        self.add(f"{name} = None")
        self.add(f"if {self.make_condition(1)}:")
        self.source.depth += 1
        self.add(f"{name} = {text}")
        self.source.depth -= 1
        self.types[name] = Optional(t)
        if self.chance(0.5):
            return
        inside = self.make_name()
        otherwise = self.chance(0.4)
        self.add(f"if {name} is {'' if otherwise else 'not '}None:")
        if otherwise:
            self.write_divergent_block(1)
            self.add("else:")
        self.types[inside] = oracle.result_type("add", t, "int64")
        self.source.depth += 1
        self.add(f"{inside} = {name} + 1")
        self.source.depth -= 1
        self.write_divergent_block(self.rng.randint(1, 2))
        del self.types[inside]

    def write_best(self):
        """Find the largest of some numbers, starting with None."""
        if self.loop_depth >= 2:
            return self.write_assignment()
        items = self.make_sequence()
        if items is None or items.has_varying_types or "," in items.target:
            return self.write_assignment()
        slot = items.slots[items.target]
        if not isinstance(slot, list):
            return self.write_assignment()
        name, target = self.make_name("o"), self.make_name()
        self.add(f"{name} = None")
        self.add(f"for {items.target} in {items.text}:")
        self.add(f"    if {name} is None or {items.target} {self.rng.choice('<>')} {name}:")
        self.add(f"        {name} = {items.target}")
        self.add(f"{target} = 7")
        self.add(f"if {name} is not None:")
        self.add(f"    {target} = {name} + 1")
        self.types[target] = unify("int64", oracle.result_type("add", slot[0], "int64"))
        self.types[name] = Optional(slot[0])

    def write_divergent_block(self, count):
        outer, self.uniform = self.uniform, False
        self.write_block(count)
        self.uniform = outer

    def write_type_test(self):
        """Branch on a variable's type; attributes that its type lacks appear in the branch that is not compiled."""
        variables = self.list_variables(lambda t: t in oracle.scalars)
        if not variables:
            return self.write_assignment()
        name, t = self.rng.choice(variables)
        python = {"int64": "int", "float64": "float", "bool": "bool"}.get(t, f"np.{t}")
        others = [c for c in ("int", "float", "np.float32", "np.uint8", "bool") if c != python]
        wrong = self.rng.choice(others)
        self.add(f"if isinstance({name}, {wrong}):")
        self.source.depth += 1
        self.add(f"{name}.nothing")
        self.source.depth -= 1
        self.add(f"elif isinstance({name}, ({wrong}, {python})):")
        target = self.make_name()
        text = f"{name} * 0.5" if is_float(t) else f"{name} ^ 1"
        self.source.depth += 1
        self.add(f"{target} = {text}")
        self.source.depth -= 1
        self.types[target] = oracle.result_type(
            *(("mul", t, "float64") if is_float(t) else ("xor", t, "int64"))
        )
        if self.chance(0.4):
            self.add("else:")
            self.source.depth += 1
            self.add(f"{target} = None.nothing")
            self.source.depth -= 1

    def write_record_statement(self):
        """Copy a whole record, or assign a field of a record kept in a variable."""
        text, others, fields = self.rng.choice(self.records)
        if others and self.chance(0.4):
            array = self.rng.choice(others)
            suffix, array.suffix = array.suffix, ""
            self.add(f"{text} = {self.make_element(array)}")
            array.suffix = suffix
            return
        name, (field, t) = self.make_name("r"), self.rng.choice(fields)
        self.add(f"{name} = {text}")
        value = self.make_boolean(1)[0] if t == "bool" else self.make_integer(1)[0]
        if is_literal(value) and t == "bool":
            value = "True"
        self.add(
            f"{name}{field} {self.rng.choice(['=', '=', '+=']) if t != 'bool' else '='} {value}"
        )
