"""From a kernel's source to the interpreter's: the same statements with numba's types made explicit.

Types are names of scalars ("int8", "bool", "float32"), tuples of types, ArrayType, or "none". Every operation becomes
a call into arithmetic.py or an expression of Python integers; every place where paths meet converts the variables
whose types differ. A barrier becomes a yield of (site, predicate), so that a thread is a generator.

What the translation does not know is refused with Untranslatable: the fuzzer makes no such kernels, but shrinking
one may.
"""

import ast
from dataclasses import dataclass

import arithmetic as ar
import oracle


class Untranslatable(Exception):
    pass


@dataclass(frozen=True)
class ArrayType:
    element: str
    ndim: int


operators = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
comparisons = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
symbols = {"add": "+", "sub": "-", "mul": "*", "and_": "&", "or_": "|", "xor": "^"}
symbols |= {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}

places = {}
for _axis in "xyz":
    for _of in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        places[f"cuda.{_of}.{_axis}"] = f"_c.{_of}_{_axis}"
places["cuda.laneid"] = "_c.lane"
places["cuda.warpsize"] = "32"

# NumPy's names of functions of math.
numpy_twins = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
numpy_twins |= {"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}


def is_scalar(t):
    return isinstance(t, str) and t != "none"


def is_float(t):
    return t in oracle.floating


def is_integer(t):
    return t in oracle.integral and t != "bool"


def math_type(t):
    return "float32" if t == "float32" else "float64"


def numpy_float_type(t):
    small = ("bool", "int8", "uint8", "int16", "uint16", "float32")
    return "float32" if t in small else "float64"


def mixed_type(a, b):
    """The float of a float and an integer: what functions of NumPy compute in."""
    if is_float(a) and is_integer(b):
        return a
    return b if is_integer(a) and is_float(b) else None


def unify(a, b):
    """The type of a variable that has either."""
    if a == b:
        return a
    if is_scalar(a) and is_scalar(b):
        return ar.unify(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(unify(x, y) for x, y in zip(a, b, strict=True))
    raise Untranslatable(f"{a} and {b} have no common type")


def merge(*envs):
    """The variables that every path defines, each with the type that holds them all; None where no path arrives."""
    live = [env for env in envs if env is not None]
    if not live:
        return None
    merged = dict(live[0])
    for env in live[1:]:
        merged = {name: unify(t, env[name]) for name, t in merged.items() if name in env}
    return merged


def convert(code, start, to):
    if start == to:
        return code
    if isinstance(start, tuple):
        items = ", ".join(
            convert(f"{code}[{i}]", s, t) for i, (s, t) in enumerate(zip(start, to, strict=True))
        )
        return f"({items},)"
    if not is_scalar(start) or not is_scalar(to):
        raise Untranslatable(f"{start} is not {to}")
    if start == "bool" and to == "float64":
        return f"float({code})"
    if is_integer(start) and to == "bool":
        return f"({code} != 0)"
    if ar.conversions[start, to] is None:
        return code
    return f"_from_{start}_to_{to}({code})"


def truth(code, t):
    if t == "bool":
        return code
    if not is_scalar(t):
        raise Untranslatable(f"the truth of {t}")
    return convert(code, t, "bool")


def dotted(node):
    """`cuda.threadIdx.x` of such an expression; empty for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return base and f"{base}.{node.attr}"
    return ""


class Program:
    """The functions of a module, translated one by one for the types that they are called with."""

    def __init__(self, source):
        self.functions = {
            node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)
        }
        self.instances = {}
        self.lines = []
        self.barrier_sites = 0
        self.shared_arrays = []

    def instance(self, name, types):
        """(name of the translated function, result type, whether it has a barrier)."""
        key = (name, types)
        if key not in self.instances:
            self.instances[key] = None
            node = self.functions[name]
            result, waits = "none", False
            translated = f"{name}_{len(self.instances)}"
            while True:
                function = Function(self, node, types, result)
                body = function.translate()
                if (function.result, function.waits) == (result, waits):
                    break
                result, waits = function.result, function.waits
            parameters = ", ".join(["_c", *(a.arg for a in node.args.args)])
            self.lines += [f"def {translated}({parameters}):", *body]
            self.instances[key] = translated, result, waits
        if self.instances[key] is None:
            raise Untranslatable("recursion")
        return self.instances[key]


class Loop:
    """What is known of the variables at a loop's start and after it."""

    def __init__(self, head):
        self.head = head
        self.exit = None
        self.continues = []
        self.breaks = []


class Function:
    def __init__(self, program, node, types, result):
        self.program = program
        self.node = node
        self.wanted = result
        self.result = None
        self.waits = False
        self.loops = []
        self.temporaries = 0
        if len(types) != len(node.args.args):
            raise Untranslatable("a wrong number of arguments")
        self.env = {a.arg: t for a, t in zip(node.args.args, types, strict=True)}

    def translate(self):
        lines, env = self.block(self.node.body, self.env, 1)
        if env is not None:
            self.returns("none")
        if self.waits:
            lines.append("    if False: yield")
        self.result = self.result or "none"
        return lines or ["    pass"]

    def returns(self, t):
        self.result = t if self.result in (None, t) else unify(self.result, t)

    def temporary(self):
        self.temporaries += 1
        return f"_t{self.temporaries}"

    # Statements: each gives its lines and the variables after it, None when control does not get there.

    def block(self, statements, env, depth):
        lines = []
        for statement in statements:
            if env is None:
                break
            more, env = self.statement(statement, env, depth)
            lines += more
        return lines, env

    def indented(self, statements, env, depth):
        lines, env = self.block(statements, env, depth)
        return lines or ["    " * depth + "pass"], env

    def statement(self, node, env, depth):
        handler = getattr(self, "do_" + type(node).__name__, None)
        if handler is None:
            raise Untranslatable(type(node).__name__)
        return handler(node, env, depth)

    def conversions(self, start, to, depth):
        """Lines that turn the variables of `start` into those of `to`, and `to`."""
        pad = "    " * depth
        return [
            f"{pad}{name} = {convert(name, start[name], t)}"
            for name, t in to.items()
            if start[name] != t and convert(name, start[name], t) != name
        ]

    def do_Pass(self, node, env, depth):
        return [], env

    def do_Assign(self, node, env, depth):
        if len(node.targets) != 1:
            raise Untranslatable("several targets")
        code, t = self.expression(node.value, env)
        return self.assign(node.targets[0], code, t, env, depth)

    def assign(self, target, code, t, env, depth):
        pad = "    " * depth
        if isinstance(target, ast.Name):
            if t == "none":
                raise Untranslatable("a value of nothing")
            return [f"{pad}{target.id} = {code}"], {**env, target.id: t}
        if isinstance(target, ast.Subscript):
            array, indices, element = self.element(target, env)
            value = convert(code, t, element)
            return [f"{pad}{array}.put({value}, {indices})"], env
        if isinstance(target, ast.Tuple) and isinstance(t, tuple) and len(target.elts) == len(t):
            whole = self.temporary()
            lines = [f"{pad}{whole} = {code}"]
            for i, (item, item_type) in enumerate(zip(target.elts, t, strict=True)):
                more, env = self.assign(item, f"{whole}[{i}]", item_type, env, depth)
                lines += more
            return lines, env
        raise Untranslatable("this target")

    def do_AugAssign(self, node, env, depth):
        pad, op = "    " * depth, operators[type(node.op)]
        value, value_type = self.expression(node.value, env)
        if isinstance(node.target, ast.Name):
            if node.target.id not in env:
                raise Untranslatable("an unknown variable")
            old_type = env[node.target.id]
            code, t = self.binary(op, node.target.id, old_type, value, value_type)
            return self.assign(node.target, code, t, env, depth)
        array, indices, element = self.element(node.target, env)
        whole, places_ = self.temporary(), self.temporary()
        code, t = self.binary(op, f"{whole}.get(*{places_})", element, value, value_type)
        return [
            f"{pad}{whole} = {array}",
            f"{pad}{places_} = ({indices},)",
            f"{pad}{whole}.put({convert(code, t, element)}, *{places_})",
        ], env

    def do_Expr(self, node, env, depth):
        code, _ = self.expression(node.value, env)
        return ["    " * depth + code], env

    def do_Return(self, node, env, depth):
        code, t = ("None", "none") if node.value is None else self.expression(node.value, env)
        self.returns(t)
        if self.wanted != "none" and t != "none":
            code = convert(code, t, self.wanted)
        return [f"{'    ' * depth}return {code}"], None

    def do_If(self, node, env, depth):
        condition = truth(*self.expression(node.test, env))
        pad = "    " * depth
        yes, yes_env = self.block(node.body, env, depth + 1)
        no, no_env = self.block(node.orelse, env, depth + 1)
        after = merge(yes_env, no_env)
        for lines, out in (yes, yes_env), (no, no_env):
            if out is not None:
                lines += self.conversions(out, after, depth + 1)
        lines = [f"{pad}if {condition}:", *(yes or [pad + "    pass"])]
        if no:
            lines += [f"{pad}else:", *no]
        return lines, after

    def do_While(self, node, env, depth):
        return self.loop(node, env, depth, lambda head: (head, []))

    def do_For(self, node, env, depth):
        call = node.iter
        if not (isinstance(call, ast.Call) and dotted(call.func) == "range"):
            raise Untranslatable("a loop over something else than a range")
        bounds = [self.expression(a, env) for a in call.args]
        types = [t for _, t in bounds]
        if not all(is_integer(t) for t in types):
            raise Untranslatable("a range of other things than integers")
        narrow = all(ar.bits[t] < 32 or t == "int32" for t in types)
        unsigned = all(t == "uint64" for t in types)
        element = "int32" if narrow else "uint64" if unsigned else "int64"
        counter = self.temporary()
        self.range_code = f"range({', '.join(code for code, _ in bounds)})"

        def start(head):
            lines, inside = self.assign(
                node.target, convert(counter, "int64", element), element, head, depth + 1
            )
            return inside, lines

        return self.loop(node, env, depth, start, f"for {counter} in {self.range_code}:")

    def loop(self, node, env, depth, start, header=None):
        pad = "    " * depth
        loop = Loop(dict(env))
        while True:
            loop.continues, loop.breaks = [], []
            head, exit_ = loop.head, loop.exit
            first = header
            if first is None:
                first = f"while {truth(*self.expression(node.test, head))}:"
            inside, lines = start(head)
            self.loops.append(loop)
            more, end = self.block(node.body, inside, depth + 1)
            self.loops.pop()
            lines = lines + more
            if end is not None:
                lines += self.conversions(
                    end, {n: t for n, t in head.items() if n in end}, depth + 1
                )
            no_break, after_else = self.block(node.orelse, head, depth + 1)
            new_head = {
                name: t for name, t in merge(env, head, end, *loop.continues).items() if name in env
            }
            new_exit = merge(exit_, after_else, *loop.breaks)
            if (new_head, new_exit) == (head, exit_):
                break
            loop.head, loop.exit = new_head, new_exit
        if after_else is not None and exit_ is not None:
            kept = {n: t for n, t in exit_.items() if n in after_else}
            no_break += self.conversions(after_else, kept, depth + 1)
        lines = [
            *self.conversions(env, head, depth),
            pad + first,
            *(lines or [pad + "    pass"]),
        ]
        if no_break:
            lines += [pad + "else:", *no_break]
        return lines, exit_

    def do_Break(self, node, env, depth):
        return self.leave("break", "exit", self.loops[-1].breaks, env, depth)

    def do_Continue(self, node, env, depth):
        return self.leave("continue", "head", self.loops[-1].continues, env, depth)

    def leave(self, word, where, list_, env, depth):
        to = getattr(self.loops[-1], where)
        list_.append(env)
        lines = []
        if to is not None:
            lines = self.conversions(env, {n: t for n, t in to.items() if n in env}, depth)
        return [*lines, "    " * depth + word], None

    # Expressions: each gives (code, type).

    def expression(self, node, env):
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is None:
            raise Untranslatable(type(node).__name__)
        return handler(node, env)

    def scalar(self, node, env):
        code, t = self.expression(node, env)
        if not is_scalar(t):
            raise Untranslatable(f"{t} where a number is needed")
        return code, t

    def on_Constant(self, node, env):
        value = node.value
        if value is True or value is False:
            return repr(value), "bool"
        if isinstance(value, int):
            if value >= 1 << 64:
                raise Untranslatable("a literal beyond uint64")
            return repr(value), "int64" if value < 1 << 63 else "uint64"
        if isinstance(value, float):
            return f"({value!r})", "float64"
        raise Untranslatable(repr(value))

    def on_Name(self, node, env):
        if node.id not in env:
            raise Untranslatable(f"{node.id} may be undefined")
        return node.id, env[node.id]

    def on_Tuple(self, node, env):
        items = [self.expression(item, env) for item in node.elts]
        return f"({', '.join(code for code, _ in items)},)", tuple(t for _, t in items)

    def on_Attribute(self, node, env):
        name = dotted(node)
        if name in places:
            return places[name], "int32"
        if name in ("math.pi", "math.e"):
            return f"_{name.replace('.', '_')}", "float64"
        code, t = self.expression(node.value, env)
        if not isinstance(t, ArrayType):
            raise Untranslatable(name)
        if node.attr == "T":
            return f"{code}.T", t
        if node.attr == "shape":
            return f"{code}.shape", ("int64",) * t.ndim
        if node.attr in ("size", "ndim"):
            return (f"{code}.size" if node.attr == "size" else str(t.ndim)), "int64"
        raise Untranslatable(node.attr)

    def on_UnaryOp(self, node, env):
        code, t = self.scalar(node.operand, env)
        if isinstance(node.op, ast.Not):
            return f"(not {truth(code, t)})", "bool"
        if isinstance(node.operand, ast.Constant):
            if isinstance(node.op, ast.USub) and t in ("int64", "float64"):
                return f"({-node.operand.value!r})", t
            raise Untranslatable("an operator that CPython folds")
        if isinstance(node.op, ast.Invert):
            if t == "bool":
                return f"(not {code})", t
            result = oracle.result_type("invert", t)
            if result is None:
                raise Untranslatable("~ of a float")
            return convert(f"_wrap_{t}(~{code})", t, result), result
        result = oracle.result_type("neg", t)
        if isinstance(node.op, ast.UAdd):
            return convert(code, t, result), result
        if is_float(result):
            return f"neg({code})", result
        own = result if t == "bool" else t  # narrow integers are negated before they are widened
        return convert(f"_wrap_{own}(-{code})", own, result), result

    def on_BinOp(self, node, env):
        left, right = self.expression(node.left, env), self.expression(node.right, env)
        if self.is_literal(node.left) and self.is_literal(node.right):
            raise Untranslatable("an operator that CPython folds")
        return self.binary(operators[type(node.op)], *left, *right)

    def is_literal(self, node):
        if isinstance(node, ast.UnaryOp):
            return self.is_literal(node.operand)
        return isinstance(node, ast.Constant)

    def binary(self, op, a, ta, b, tb):
        if not is_scalar(ta) or not is_scalar(tb):
            raise Untranslatable(f"{ta} {op} {tb}")
        result = oracle.result_type(op, ta, tb)
        if result is None:
            raise Untranslatable(f"{ta} {op} {tb}")
        if result == "bool":
            return f"({a} {symbols[op]} {b})", result
        if op in ("lshift", "rshift"):
            function = "shift_left" if op == "lshift" else "shift_right"
            a, b = convert(a, ta, result), convert(b, tb, "int64")
            return f"_wrap_{result}({function}({a}, {b}))", result
        if is_float(result):
            if op == "pow" and tb in oracle.integral and is_float(ta):
                return f"whole_power({convert(a, ta, result)}, {b}, {result!r})", result
            a, b = convert(a, ta, result), convert(b, tb, result)
            if op == "pow":
                return f"power({a}, {b}, {result!r})", result
            return f"_{op}_{result}({a}, {b})", result
        if op in symbols:
            return f"_wrap_{result}({a} {symbols[op]} {b})", result
        a, b = convert(a, ta, result), convert(b, tb, result)
        if op == "pow":
            return f"integer_power({a}, {b}, {result!r})", result
        return f"_wrap_{result}({op}({a}, {b}))", result

    def on_Compare(self, node, env):
        codes = []
        left, left_type = self.scalar(node.left, env)
        for i, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if type(op) not in comparisons:
                raise Untranslatable("this comparison")
            right, right_type = self.scalar(comparator, env)
            name = right
            if i + 1 < len(node.ops):
                name = self.temporary()
                right = f"({name} := {right})"
            codes.append(self.compare(comparisons[type(op)], left, left_type, right, right_type))
            left, left_type = name, right_type
        return f"({' and '.join(codes)})", "bool"

    def compare(self, op, a, ta, b, tb):
        if is_float(ta) or is_float(tb):
            common = oracle.result_type("add", ta, tb)
            return f"{op}({convert(a, ta, common)}, {convert(b, tb, common)})"
        return f"{a} {symbols[op]} {b}"

    def on_BoolOp(self, node, env):
        values = [self.scalar(value, env) for value in node.values]
        t = values[0][1]
        for _, other in values[1:]:
            t = unify(t, other)
        code = convert(*values[-1], t)
        for value, value_type in reversed(values[:-1]):
            name = self.temporary()
            condition = truth(f"({name} := {value})", value_type)
            own = convert(name, value_type, t)
            code = (
                f"({code} if {condition} else {own})"
                if isinstance(node.op, ast.And)
                else f"({own} if {condition} else {code})"
            )
        return code, t

    def on_IfExp(self, node, env):
        condition = truth(*self.expression(node.test, env))
        yes, yes_type = self.expression(node.body, env)
        no, no_type = self.expression(node.orelse, env)
        t = unify(yes_type, no_type)
        return f"({convert(yes, yes_type, t)} if {condition} else {convert(no, no_type, t)})", t

    # Subscripts

    def on_Subscript(self, node, env):
        code, t = self.expression(node.value, env)
        if isinstance(t, tuple):
            i = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if not isinstance(i, int) or not -len(t) <= i < len(t):
                raise Untranslatable("a variable index of a tuple")
            return f"{code}[{i}]", t[i]
        if not isinstance(t, ArrayType):
            raise Untranslatable(f"an index of {t}")
        items, slices = self.index_items(node.slice, env)
        if len(items) > t.ndim:
            raise Untranslatable("too many indices")
        ndim = t.ndim - len(items) + slices
        if ndim == 0:
            return f"{code}.get({', '.join(items)})", t.element
        return f"{code}.view({', '.join(items)})", ArrayType(t.element, ndim)

    def index_items(self, node, env):
        """The code of each index, and how many are slices."""
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        items, slices = [], 0
        for item in nodes:
            if isinstance(item, ast.Slice):
                bounds = [
                    "None" if bound is None else self.index(bound, env)
                    for bound in (item.lower, item.upper, item.step)
                ]
                items.append(f"slice({', '.join(bounds)})")
                slices += 1
            else:
                items.append(self.index(item, env))
        return items, slices

    def index(self, node, env):
        code, t = self.scalar(node, env)
        if is_float(t):
            raise Untranslatable("a float index")
        return code

    def element(self, node, env):
        """An element to be assigned: (code of the array, code of the indices, type)."""
        code, t = self.expression(node.value, env)
        if not isinstance(t, ArrayType):
            raise Untranslatable("an item of something else than an array")
        items, slices = self.index_items(node.slice, env)
        if slices or len(items) != t.ndim:
            raise Untranslatable("assignment to a slice")
        return code, ", ".join(items), t.element

    # Calls

    def on_Call(self, node, env):
        name = dotted(node.func)
        if node.keywords:
            raise Untranslatable("keywords")
        if name in self.program.functions:
            return self.call(name, node, env)
        module, _, last = name.rpartition(".")
        if module == "cuda.atomic":
            return self.atomic(last, node, env)
        if module == "np" and last in oracle.scalars:
            code, t = self.scalar(node.args[0], env)
            return convert(code, t, last), last
        handler = getattr(self, f"call_{name.replace('.', '_')}", None)
        if handler is not None:
            return handler(node, env)
        if module in ("math", "np"):
            return self.function(module, last, node, env)
        raise Untranslatable(f"a call of {name}")

    def call(self, name, node, env):
        arguments = [self.expression(a, env) for a in node.args]
        translated, result, waits = self.program.instance(name, tuple(t for _, t in arguments))
        code = f"{translated}({', '.join(['_c', *(c for c, _ in arguments)])})"
        self.waits |= waits
        return (f"(yield from {code})" if waits else code), result

    def arguments(self, node, env, count):
        if len(node.args) != count:
            raise Untranslatable("a wrong number of arguments")
        return [self.scalar(a, env) for a in node.args]

    def function(self, module, name, node, env):
        """A function of math or NumPy."""
        if module == "np" and name in ("maximum", "minimum", "fmax", "fmin"):
            (a, ta), (b, tb) = self.arguments(node, env, 2)
            t = mixed_type(ta, tb) or unify(ta, tb)
            a, b = convert(a, ta, t), convert(b, tb, t)
            integer = "max" if "max" in name else "min"
            return f"{name if is_float(t) else integer}({a}, {b})", t
        if module == "np" and name == "absolute":
            return self.call_abs(node, env, keep_bool=True)
        if module == "np" and name == "sign":
            ((a, t),) = self.arguments(node, env, 1)
            return (f"sign({a})" if is_float(t) else f"(({a} > 0) - ({a} < 0))"), t
        type_of = math_type if module == "math" else numpy_float_type
        twin = numpy_twins.get(name, name)
        if name in ("isnan", "isinf", "isfinite"):
            ((a, t),) = self.arguments(node, env, 1)
            if is_float(t):
                return f"{name}({a})", "bool"
            return ("True" if name == "isfinite" else "False"), "bool"
        binary = twin in ("atan2", "hypot", "fmod", "remainder", "copysign", "pow")
        values = self.arguments(node, env, 2 if binary else 1)
        if name == "pow" and is_float(values[0][1]) and is_integer(values[1][1]):
            raise Untranslatable("math.pow of an integer")
        t = type_of(values[0][1])
        for _, other in values[1:]:
            t = unify(t, type_of(other))
        if binary and module == "np":
            t = mixed_type(*(start for _, start in values)) or t
        codes = ", ".join(convert(code, start, t) for code, start in values)
        if twin in ar.smooth:
            return f"_{twin}_{t}({codes})", t
        if twin in ar.exact_functions:
            return f"_exact_{twin}({codes})", t
        if twin in ("fmod", "remainder", "copysign"):
            return f"{twin}({codes})", t
        if twin == "sqrt":
            return f"sqrt({codes}, {t!r})", t
        if twin == "pow":
            return f"power({codes}, {t!r})", t
        raise Untranslatable(f"{module}.{name}")

    def call_abs(self, node, env, keep_bool=False):
        ((a, t),) = self.arguments(node, env, 1)
        if is_float(t):
            return f"fabs({a})", t
        if t == "bool":
            return (a, t) if keep_bool else (f"int({a})", "int8")
        return f"_wrap_{t}(abs({a}))", t

    def extreme(self, node, env, name):
        values = [self.scalar(a, env) for a in node.args]
        if len(values) < 2:
            raise Untranslatable("min and max of one value")
        t = values[0][1]
        for _, other in values[1:]:
            t = unify(t, other)
        if is_float(t):
            code = convert(*values[0], t)
            for value in values[1:]:
                code = f"f{name}({code}, {convert(*value, t)})"
            return code, t
        return f"{name}({', '.join(convert(*v, t) for v in values)})", t

    def call_min(self, node, env):
        return self.extreme(node, env, "min")

    def call_max(self, node, env):
        return self.extreme(node, env, "max")

    def call_int(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        return (a, t) if is_integer(t) else (convert(a, t, "int64"), "int64")

    def call_float(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if t == "bool":
            raise Untranslatable("float() of a bool")
        return (a, t) if is_float(t) else (convert(a, t, "float64"), "float64")

    def call_bool(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        return truth(a, t), "bool"

    def call_round(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if is_float(t):
            return f"round_to_int({a})", "int64"
        return convert(a, t, "int64"), "int64"

    def call_divmod(self, node, env):
        left, right = self.arguments(node, env, 2)
        a, b = self.temporary(), self.temporary()
        quotient, t = self.binary(
            "floordiv", f"({a} := {left[0]})", left[1], f"({b} := {right[0]})", right[1]
        )
        remainder, t2 = self.binary("mod", a, left[1], b, right[1])
        return f"({quotient}, {remainder})", (t, t2)

    def call_pow(self, node, env):
        left, right = self.arguments(node, env, 2)
        return self.binary("pow", *left, *right)

    def call_len(self, node, env):
        code, t = self.expression(node.args[0], env)
        if isinstance(t, tuple):
            return str(len(t)), "int64"
        return f"{code}.shape[0]", "int64"

    def call_cuda_selp(self, node, env):
        (c, tc), (a, ta), (b, tb) = self.arguments(node, env, 3)
        t = unify(ta, tb)
        t = "int64" if t == "bool" else t
        # Both sides are evaluated.
        both = f"({convert(b, tb, t)}, {convert(a, ta, t)})"
        return f"{both}[{truth(c, tc)}]", t

    def call_cuda_fma(self, node, env):
        values = self.arguments(node, env, 3)
        t = "float32" if all(t == "float32" for _, t in values) else "float64"
        return f"fma({', '.join(convert(*v, t) for v in values)}, {t!r})", t

    def call_cuda_cbrt(self, node, env):
        return self.function("math", "cbrt", node, env)

    def bit_operation(self, node, env, function, result=None):
        ((a, t),) = self.arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        return f"{function}({a}, {ar.bits[t]})", result or t

    def call_cuda_popc(self, node, env):
        return self.bit_operation(node, env, "count_bits")

    def call_cuda_clz(self, node, env):
        return self.bit_operation(node, env, "leading_zeros")

    def call_cuda_ffs(self, node, env):
        return self.bit_operation(node, env, "first_set", "uint32")

    def call_cuda_brev(self, node, env):
        ((a, t),) = self.arguments(node, env, 1)
        if not is_integer(t):
            raise Untranslatable("bits of something else than an integer")
        result = "uint64" if ar.bits[t] == 64 else "uint32"
        return f"reversed_bits({convert(a, t, result)}, {ar.bits[result]})", result

    # Places, barriers, memory

    def place(self, node, what):
        n = node.args[0].value
        codes = [f"_c.{what}_{axis}" for axis in "xyz"[:n]]
        return (codes[0], "int64") if n == 1 else (f"({', '.join(codes)})", ("int64",) * n)

    def call_cuda_grid(self, node, env):
        return self.place(node, "grid")

    def call_cuda_gridsize(self, node, env):
        return self.place(node, "gridsize")

    def barrier(self, predicate="None"):
        self.waits = True
        self.program.barrier_sites += 1
        return f"(yield ({self.program.barrier_sites}, {predicate}))"

    def call_cuda_syncthreads(self, node, env):
        return self.barrier(), "none"

    def vote(self, node, env, kind):
        code, t = self.scalar(node.args[0], env)
        if is_float(t):
            raise Untranslatable("a float predicate")
        return self.barrier(f"({kind!r}, {truth(code, t)})"), "int32"

    def call_cuda_syncthreads_count(self, node, env):
        return self.vote(node, env, "count")

    def call_cuda_syncthreads_and(self, node, env):
        return self.vote(node, env, "and")

    def call_cuda_syncthreads_or(self, node, env):
        return self.vote(node, env, "or")

    def call_cuda_threadfence(self, node, env):
        return "None", "none"

    def shape_and_type(self, node):
        shape = ast.literal_eval(node.args[0])
        shape = shape if isinstance(shape, tuple) else (shape,)
        element = dotted(node.args[1]).rpartition(".")[2].rstrip("_")
        if element not in oracle.scalars or min(shape) <= 0:
            raise Untranslatable("this array")
        return shape, element

    def call_cuda_shared_array(self, node, env):
        shape, element = self.shape_and_type(node)
        site = (node.lineno, node.col_offset)
        if site not in self.program.shared_arrays:
            self.program.shared_arrays.append(site)
        which = self.program.shared_arrays.index(site)
        return f"_c.shared({which}, {shape})", ArrayType(element, len(shape))

    def call_cuda_local_array(self, node, env):
        shape, element = self.shape_and_type(node)
        return f"packed({shape})", ArrayType(element, len(shape))

    def atomic(self, name, node, env):
        if name not in ("cas", "compare_and_swap") and len(node.args) != 3:
            raise Untranslatable("a wrong number of arguments")
        array, t = self.expression(node.args[0], env)
        if not isinstance(t, ArrayType) or name == "compare_and_swap":
            raise Untranslatable("this atomic")
        items, slices = self.index_items(node.args[1], env)
        if slices or len(items) != t.ndim or ar.bits[t.element] < 32:
            raise Untranslatable("this atomic")
        if is_float(t.element) and name not in ("add", "sub", "min", "max", "nanmin", "nanmax"):
            raise Untranslatable("this atomic")
        values = ", ".join(convert(*self.scalar(a, env), t.element) for a in node.args[2:])
        if name == "cas":
            values = f"({values})"
        return (
            f"{array}.change(_atomic_{name}_{t.element}, {values}, {', '.join(items)})",
            t.element,
        )
