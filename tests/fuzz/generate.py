"""Makes random launches: kernels without races whose results do not depend on the order of threads.

Each thread writes only its own elements of an output; shared arrays are written and read with barriers in between;
atomics are such that their order does not show. Indices are taken modulo the extent, shifts and exponents are small,
loops have bounded trips.
"""

import ast
import random

import numpy as np
import oracle
from case import ArrayArgument, Case, SameArray
from kernel_types import is_float, mixed_type, numpy_float_type, unify

integers = [*oracle.signed, *oracle.unsigned]
atomic_types = ["int32", "uint32", "int64", "uint64"]
unary_math = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"]
unary_math += ["atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc"]
unary_math += ["sqrt", "fabs", "floor", "ceil", "trunc", "sqrt", "fabs", "floor", "cbrt"]
numpy_math = ["sin", "cos", "arctan", "exp", "log", "sqrt", "floor", "rint", "cbrt", "tanh"]
comparisons = ["<", "<=", ">", ">=", "==", "!="]
symbols = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/"}
symbols |= {"and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "pow": "**"}


def math_type(t):
    return "float32" if t == "float32" else "float64"


class Source:
    """Lines of a function under construction."""

    def __init__(self):
        self.lines = []
        self.depth = 1

    def add(self, line):
        self.lines.append("    " * self.depth + line)


class Array:
    """An array that expressions may read: its name in the kernel, element type, extents now.

    padded: it is larger than `shape` says; only that part has values.
    """

    def __init__(self, name, element, shape, padded=False):
        self.name = name
        self.element = element
        self.shape = shape
        self.padded = padded


def is_literal(text):
    try:
        ast.literal_eval(text)
        return True
    except (ValueError, SyntaxError):
        return False


class Body:
    """Statements and expressions of one function.

    Variables are in `types`, by name; `uniform` tells whether all threads of the block that have not returned are
    here, so that a barrier may stand here.
    """

    def __init__(self, rng, source, helpers):
        self.rng = rng
        self.source = source
        self.helpers = helpers
        self.types = {}
        self.fixed = set()  # variables that no statement may assign: indices, loop counters
        self.arrays = []
        self.outputs = []  # (text of an element of the thread's own, its type)
        self.readable = []  # such elements by another array's name
        self.atomics = []  # functions that write an atomic operation
        self.locals = []
        self.exchanges = []  # shared arrays: (name, type, extent, own index, size of block)
        self.uniform = True
        self.loop_depth = 0
        self.in_loop = False
        self.names = 0
        self.depth = rng.choice([1, 2, 2, 3])  # of an assignment's expression
        self.nesting = 0  # of indices in indices
        self.budget = 0
        self.returns = None

    def name(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, p):
        return self.rng.random() < p

    # Expressions: (text, type)

    def any(self, depth):
        r = self.rng.random()
        if r < 0.5:
            return self.integer(depth)
        return self.real(depth) if r < 0.9 else self.boolean(depth)

    def variables(self, accept):
        return [(name, t) for name, t in self.types.items() if isinstance(t, str) and accept(t)]

    def leaf(self, accept, literal):
        """A variable, an element or a literal whose type is accepted."""
        choices = self.variables(accept)
        again = [(text, t) for text, t in self.readable if accept(t)]
        if again and self.chance(0.3):
            return self.rng.choice(again)
        r = self.rng.random()
        if choices and r < 0.55:
            return self.rng.choice(choices)
        arrays = [a for a in [*self.arrays, *self.locals] if accept(a.element)]
        if arrays and r < 0.85 and self.nesting < 2:
            array = self.rng.choice(arrays)
            return self.element(array), array.element
        if not choices or r > 0.93:
            return literal()
        return self.rng.choice(choices)

    def element(self, array):
        """An element of an array, at an index within its bounds."""
        indices = []
        self.nesting += 1
        for axis in range(len(array.shape)):
            text, t = self.nonliteral(self.rng.choice([0, 0, 1]))
            extent = f"{array.name}.shape[{axis}]" if len(array.shape) > 1 else f"{array.name}.size"
            if array.padded or self.chance(0.3):
                extent = str(array.shape[axis])
            if t == "uint64":
                text = f"np.int64({text})"
            wrapped = f"{text} % {extent}"
            backwards = self.chance(0.15) and not array.padded
            indices.append(f"-1 - ({wrapped})" if backwards else wrapped)
        self.nesting -= 1
        if len(indices) == 2 and self.chance(0.1):
            return f"{array.name}[{indices[0]}][{indices[1]}]"
        if len(indices) == 2 and self.chance(0.1):
            return f"{array.name}.T[{indices[1]}, {indices[0]}]"
        return f"{array.name}[{', '.join(indices)}]"

    def integer_literal(self):
        rng = self.rng
        r = rng.random()
        if r < 0.75:
            return str(rng.choice([0, 1, 2, 3, 5, 7, 8, 13, 31, 100, -1, -2, -7])), "int64"
        if r < 0.85:
            return str(
                rng.choice([255, 127, 128, -128, 32767, 65535, 2**31 - 1, -(2**31)])
            ), "int64"
        t = rng.choice(integers)
        info = np.iinfo(t)
        value = rng.choice([int(info.max), int(info.min), 1, 3, int(info.max) // 3])
        return f"np.{t}({value})", t

    def real_literal(self):
        rng = self.rng
        value = rng.choice([0.5, 1.5, -0.25, 2.0, 3.0, -4.0, 0.125, 10.0, 0.1, 1e-3, 0.0])
        if rng.random() < 0.4:
            return f"np.float32({value})", "float32"
        return repr(value), "float64"

    def parenthesized(self, value):
        return f"({value[0]})", value[1]

    def integer(self, depth):
        """An expression of an integer type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(lambda t: t in integers, self.integer_literal)
        kind = rng.random()
        if kind < 0.6:
            return self.integer_operation(depth)
        if kind < 0.7:
            t = rng.choice(integers)
            text, _ = self.any(depth - 1)
            return f"np.{t}({text})", t
        if kind < 0.74:
            text, t = self.integer(depth - 1)
            return (f"abs({text})", t) if t in integers else (text, t)
        if kind < 0.80:
            return self.choice_of("integer", depth)
        if kind < 0.86:
            (a, ta), (b, tb) = self.integer(depth - 1), self.integer(depth - 1)
            t = unify(ta, tb)
            if is_float(t):
                b, t = f"np.{ta}({b})", ta
            name = rng.choice(["min", "max", "np.maximum", "np.minimum"])
            return f"{name}({a}, {b})", t
        if kind < 0.90:
            name = rng.choice(["popc", "clz", "ffs"])
            text, t = self.integer(depth - 1)
            return f"cuda.{name}({text})", "uint32" if name == "ffs" else t
        if kind < 0.93:
            text, t = self.boolean(max(depth - 1, 1))
            return f"({text} + {self.rng.choice([0, 1, 3])})", "int64"
        if kind < 0.96:
            text, t = self.real(depth - 1)
            return f"int({text})", "int64"
        return self.helper_call(depth, lambda t: t in integers) or self.integer_operation(depth)

    def integer_operation(self, depth):
        rng = self.rng
        op = rng.choice(
            ["add", "sub", "mul", "add", "sub", "mul", "and_", "or_", "xor", "mod", "floordiv"]
            + ["lshift", "rshift", "neg", "invert", "pow"]
        )
        a, ta = self.nonliteral(depth - 1)
        if op in ("neg", "invert"):
            return f"({'-' if op == 'neg' else '~'}{a})", oracle.result_type(op, ta)
        if op in ("lshift", "rshift"):
            b, tb = rng.choice([(str(rng.randrange(64)), "int64"), self.small_amount()])
        elif op == "pow":
            b, tb = str(rng.randrange(5)), "int64"
        else:
            b, tb = self.integer(depth - 1)
            if op in ("mod", "floordiv") and rng.random() < 0.7:
                b = rng.choice(["7", "-3", f"np.int64({self.nonliteral(depth - 1)[0]} | 1)"])
                tb = "int64"
        return f"({a} {symbols[op]} {b})", oracle.result_type(op, ta, tb)

    def nonliteral(self, depth):
        for _ in range(5):
            value = self.integer(depth)
            if not is_literal(value[0]):
                return value
        choices = self.variables(lambda t: t in integers)
        return self.rng.choice(choices) if choices else ("cuda.threadIdx.x", "int32")

    def small_amount(self):
        text, t = self.leaf(lambda t: t in integers, self.integer_literal)
        if t == "uint64":
            text = f"np.int64({text})"
        if is_literal(text):
            return str(abs(int(text)) % 64), "int64"
        return f"({text} & {self.rng.choice([7, 31, 63])})", "int64"

    def real(self, depth):
        """An expression of a float type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(is_float, self.real_literal)
        kind = rng.random()
        if kind < 0.5:
            return self.real_operation(depth)
        if kind < 0.58:
            text, _ = self.any(depth - 1)
            t = rng.choice(oracle.floating)
            return f"np.{t}({text})", t
        if kind < 0.72:
            text, t = self.real(depth - 1)
            return f"math.{rng.choice(unary_math)}({text})", math_type(t)
        if kind < 0.75:
            text, t = self.any(depth - 1)
            return f"np.{rng.choice(numpy_math)}({text})", numpy_float_type(t)
        if kind < 0.81:
            return self.choice_of("real", depth)
        if kind < 0.86:
            (a, ta), (b, tb) = self.real(depth - 1), self.any(depth - 1)
            name = rng.choice(["min", "max", "np.maximum", "np.fmin"])
            t = name.startswith("np.") and mixed_type(ta, tb)
            return f"{name}({a}, {b})", t or unify(ta, tb)
        if kind < 0.90:
            (a, ta), (b, tb) = self.real(depth - 1), self.real(depth - 1)
            name = rng.choice(["atan2", "hypot", "fmod", "copysign"])
            return f"math.{name}({a}, {b})", unify(ta, tb)
        if kind < 0.92:
            (a, ta), (b, tb) = self.integer(depth - 1), self.nonliteral(depth - 1)
            return f"({a} / ({b} | 1))", "float64"
        if kind < 0.94:
            values = [self.real(depth - 1) for _ in range(3)]
            t = "float32" if all(t == "float32" for _, t in values) else "float64"
            return f"cuda.fma({', '.join(text for text, _ in values)})", t
        if kind < 0.96:
            text, t = self.real(depth - 1)
            return f"abs({text})", t
        return self.helper_call(depth, is_float) or self.real_operation(depth)

    def real_operation(self, depth):
        rng = self.rng
        op = rng.choice(
            ["add", "sub", "mul", "add", "sub", "mul", "truediv", "mod", "floordiv", "neg", "pow"]
        )
        a, ta = self.real_value(depth - 1)
        if op == "neg":
            return f"(-{a})", ta
        if op == "pow":
            return f"({a} ** {rng.choice([2, 3, 2, -1, 4])})", ta
        b, tb = self.real(depth - 1) if rng.random() < 0.6 else self.any(depth - 1)
        if rng.random() < 0.5:
            a, ta, b, tb = b, tb, a, ta
        return f"({a} {symbols[op]} {b})", oracle.result_type(op, ta, tb)

    def boolean(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth <= 0:
            choices = self.variables(lambda t: t == "bool")
            if choices and kind < 0.5:
                return rng.choice(choices)
            depth = 1
        if kind < 0.55:
            a, _ = self.nonliteral(depth - 1) if rng.random() < 0.6 else self.real_value(depth - 1)
            b, _ = self.any(depth - 1)
            op = rng.choice(comparisons)
            if rng.random() < 0.1:
                c, _ = self.integer(depth - 1)
                return f"({b} {rng.choice(comparisons)} {a} {op} {c})", "bool"
            return f"({a} {op} {b})", "bool"
        if kind < 0.75:
            (a, _), (b, _) = self.boolean(depth - 1), self.boolean(depth - 1)
            return f"({a} {rng.choice(['and', 'or'])} {b})", "bool"
        if kind < 0.85:
            text, _ = self.boolean(depth - 1)
            return f"(not {text})", "bool"
        if kind < 0.9:
            (a, _), (b, _) = self.boolean(depth - 1), self.boolean(depth - 1)
            return f"({a} {rng.choice('&|^')} {b})", "bool"
        if kind < 0.95:
            text, _ = self.real_value(depth - 1)
            return f"math.{rng.choice(['isnan', 'isinf', 'isfinite'])}({text})", "bool"
        text, _ = self.nonliteral(depth - 1)
        return f"bool({text})", "bool"

    def real_value(self, depth):
        for _ in range(5):
            value = self.real(depth)
            if not is_literal(value[0]):
                return value
        return "np.float32(cuda.threadIdx.x)", "float32"

    def condition(self, depth=2):
        """A condition that is no constant."""
        return self.boolean(depth)[0]

    def choice_of(self, kind, depth):
        make = getattr(self, kind)
        (a, ta), (b, tb) = make(depth - 1), make(depth - 1)
        t = unify(ta, tb)
        if kind == "integer" and is_float(t):
            b, t = f"np.{ta}({b})", ta
        condition, _ = self.boolean(depth - 1)
        if self.chance(0.2):
            return f"cuda.selp({condition}, {a}, {b})", t
        return f"({a} if {condition} else {b})", t

    def helper_call(self, depth, accept):
        """A call of a device function whose result is accepted."""
        choices = [h for h in self.helpers if isinstance(h.result, str) and accept(h.result)]
        if not choices:
            return None
        helper = self.rng.choice(choices)
        return f"{helper.name}({self.helper_arguments(helper, depth)})", helper.result

    def helper_arguments(self, helper, depth):
        texts = []
        for t in helper.parameters:
            if t in oracle.scalars:
                text, _ = self.any(min(depth - 1, 1))
                texts.append(f"np.{t}({text})" if t != "bool" else f"bool({text})")
        return ", ".join(texts)

    # Statements

    def add(self, line):
        self.source.add(line)

    def block(self, count):
        """An indented block of some statements."""
        self.source.depth += 1
        before = dict(self.types)
        arrays, fixed = list(self.arrays), set(self.fixed)
        start = len(self.source.lines)
        for _ in range(count):
            self.statement()
        if len(self.source.lines) == start:
            self.add("pass")
        self.source.depth -= 1
        # What only this path defines is not known after it.
        self.types = {name: self.types[name] for name in before}
        self.arrays, self.fixed = arrays, fixed

    def statement(self):
        if self.budget <= 0:
            return
        self.budget -= 1
        kinds = [
            (self.assign, 8),
            (self.store, 4),
            (self.branch, 3),
            (self.counted_loop, 2),
            (self.while_loop, 1),
            (self.augmented, 3),
            (self.unpack, 1),
            (self.helper_tuple, 1),
            (self.local_array, 0.7),
            (self.local_store, 1.5),
            (self.view, 0.7),
            (self.atomic, 1.5),
            (self.exchange, 2.5),
            (self.vote, 0.8),
            (self.early_return, 0.5),
            (self.leave_loop, 2),
        ]
        statements, weights = zip(*kinds, strict=True)
        self.rng.choices(statements, weights)[0]()

    def keeping(self, name, value):
        """`value` for an assignment to a variable of this name, so that its type stays of the same kind."""
        text, t = value
        old = self.types.get(name)
        if old is None:
            return text, t
        new = unify(old, t)
        same_kind = is_float(new) == is_float(old) and (new == "bool") == (old == "bool")
        if same_kind and self.chance(0.5):
            return text, new
        if old == "bool":
            return f"bool({text})", old
        return f"np.{old}({text})", old

    def assignable(self):
        return [
            name for name, t in self.types.items() if isinstance(t, str) and name not in self.fixed
        ]

    def assign(self):
        names = self.assignable()
        if names and self.chance(0.5):
            name = self.rng.choice(names)
            maker = self.real if is_float(self.types[name]) else self.integer
            maker = self.boolean if self.types[name] == "bool" else maker
            text, t = self.keeping(name, maker(self.depth))
        else:
            name = self.name()
            text, t = self.any(self.depth)
        self.add(f"{name} = {text}")
        self.types[name] = t

    def augmented(self):
        names = [n for n in self.assignable() if self.types[n] != "bool"]
        if not names:
            return self.assign()
        name = self.rng.choice(names)
        t = self.types[name]
        if is_float(t):
            op, (text, other) = self.rng.choice("+-*"), self.any(2)
        else:
            op, (text, other) = self.rng.choice(["+", "-", "*", "&", "|", "^"]), self.integer(2)
        names_of = {"+": "add", "-": "sub", "*": "mul", "&": "and_", "|": "or_", "^": "xor"}
        new = unify(t, oracle.result_type(names_of[op], t, other))
        if is_float(new) != is_float(t):
            return self.assign()
        self.add(f"{name} {op}= {text}")
        self.types[name] = new

    def unpack(self):
        names = self.assignable()
        if len(names) >= 2 and self.chance(0.4):
            a, b = self.rng.sample(names, 2)
            if self.types[a] == self.types[b]:
                self.add(f"{a}, {b} = {b}, {a}")
                return
        first, second = self.name(), self.name()
        (x, tx), (y, ty) = self.any(2), self.any(2)
        if self.chance(0.3):
            whole = self.name("pair")
            self.add(f"{whole} = ({x}, {y})")
            self.add(f"{first}, {second} = {whole}[1], {whole}[0]")
            tx, ty = ty, tx
        elif self.chance(0.2):
            (x, tx), (y, ty) = self.nonliteral(2), self.integer(2)
            self.add(f"{first}, {second} = divmod({x}, {y})")
            tx = ty = oracle.result_type("floordiv", tx, ty)
        else:
            self.add(f"{first}, {second} = {x}, {y}")
        self.types[first], self.types[second] = tx, ty

    def helper_tuple(self):
        choices = [h for h in self.helpers if isinstance(h.result, tuple)]
        if not choices:
            return self.assign()
        helper = self.rng.choice(choices)
        names = [self.name() for _ in helper.result]
        self.add(f"{', '.join(names)} = {helper.name}({self.helper_arguments(helper, 2)})")
        self.types.update(zip(names, helper.result, strict=True))

    def store(self):
        if not self.outputs:
            return self.assign()
        place, t = self.rng.choice(self.outputs)
        text, other = self.boolean(2) if t == "bool" else self.any(self.depth)
        if t == "bool" or is_float(t) or not is_float(other) or self.chance(0.3):
            op = self.rng.choice(["=", "=", "=", "+=", "-="]) if t != "bool" else "="
        else:
            text, op = self.integer(self.depth)[0], "="
        if op != "=" and not is_float(t) and is_float(other):
            op = "="
        self.add(f"{place} {op} {text}")

    def branch(self):
        outer = self.uniform
        uniform = outer and self.chance(0.3)
        condition = self.uniform_condition() if uniform else self.condition()
        self.add(f"if {condition}:")
        self.uniform = uniform
        self.block(self.rng.randint(1, 3))
        if self.chance(0.25):
            self.add(f"elif {self.uniform_condition() if uniform else self.condition()}:")
            self.block(self.rng.randint(1, 2))
        if self.chance(0.4):
            self.add("else:")
            self.block(self.rng.randint(1, 3))
        self.uniform = outer

    def uniform_condition(self):
        """The same for every thread of a block."""
        values = [name for name in self.fixed if name.startswith("p_") or name.startswith("u_")]
        value = self.rng.choice([*values, "cuda.blockIdx.x"])
        return f"{value} {self.rng.choice(comparisons)} {self.rng.choice([0, 1, 2, 5])}"

    def loop_body(self, uniform, count):
        outer, was = self.uniform, self.in_loop
        self.uniform, self.in_loop = uniform, not uniform
        self.loop_depth += 1
        self.block(count)
        self.loop_depth -= 1
        self.uniform, self.in_loop = outer, was

    def counted_loop(self):
        if self.loop_depth >= 2:
            return self.assign()
        rng = self.rng
        uniform = self.uniform and self.chance(0.5)
        counter = self.name("u_" if uniform else "j")
        kind = rng.random()
        if uniform:
            bounds = rng.choice(["3", "2", "1, 4", "4, 0, -2", "cuda.blockIdx.x + 1", "2, 7, 2"])
            t = "int64"
        elif kind < 0.4:
            bounds, t = rng.choice(["4", "1, 6, 2", "5, -1, -1", "3, 0", "0"]), "int64"
        elif kind < 0.7:
            text, t = self.nonliteral(1)
            text = f"np.int64({text})" if t == "uint64" else text
            bounds, t = f"{text} % {rng.choice([3, 5, 6])}", "int64"
        elif kind < 0.85:
            text, _ = self.nonliteral(1)
            bounds, t = f"np.int32({text}) % 4, 9, {rng.choice([2, 3, 5])}", "int64"
        else:
            bounds, t = "np.int32(cuda.threadIdx.x & 3)", "int32"
        self.add(f"for {counter} in range({bounds}):")
        self.types[counter] = t
        self.fixed.add(counter)
        self.loop_body(uniform, rng.randint(1, 3))
        del self.types[counter]
        self.fixed.discard(counter)
        if not uniform and self.chance(0.25):
            self.add("else:")
            self.block(1)

    def while_loop(self):
        if self.loop_depth >= 2:
            return self.assign()
        counter = self.name("w")
        text, _ = self.nonliteral(1)
        outer = self.uniform
        self.add(f"{counter} = np.int64({text}) % {self.rng.choice([3, 5, 7])}")
        self.types[counter] = "int64"
        self.fixed.add(counter)
        condition = f"{counter} > 0"
        if self.chance(0.4):
            condition = f"{condition} and {self.condition(1)}"
        self.add(f"while {condition}:")
        self.source.depth += 1
        self.add(f"{counter} -= {self.rng.choice([1, 2])}")
        self.source.depth -= 1
        self.loop_body(False, self.rng.randint(1, 3))
        self.fixed.discard(counter)
        self.fixed.add(counter)
        self.uniform = outer

    def leave_loop(self):
        if not self.in_loop:
            return self.assign()
        self.add(f"if {self.condition()}:")
        self.source.depth += 1
        self.add(self.rng.choice(["break", "continue"]))
        self.source.depth -= 1

    def early_return(self):
        if self.returns is None or not self.chance(0.5):
            return self.assign()
        self.add(f"if {self.condition()}:")
        self.source.depth += 1
        self.add(self.returns(self))
        self.source.depth -= 1

    def local_array(self):
        if len(self.locals) >= 2 or self.source.depth > 1:
            return self.local_store()
        rng = self.rng
        name, element = self.name("loc"), rng.choice([*integers, "float32", "float64", "bool"])
        shape = rng.choice([(3,), (4,), (5,), (2, 3)])
        text = str(shape[0]) if len(shape) == 1 else str(shape)
        t = "np.bool_" if element == "bool" else f"np.{element}"
        self.add(f"{name} = cuda.local.array({text}, {t})")
        for axis, extent in enumerate(shape):
            self.source.depth += axis
            self.add(f"for q{axis} in range({extent}):")
            self.source.depth -= axis
        self.source.depth += len(shape)
        indices = ", ".join(f"q{axis}" for axis in range(len(shape)))
        value = self.boolean(1)[0] if element == "bool" else self.integer(1)[0]
        self.add(f"{name}[{indices}] = {value}")
        self.source.depth -= len(shape)
        self.locals.append(Array(name, element, shape))

    def local_store(self):
        if not self.locals:
            return self.assign()
        array = self.rng.choice(self.locals)
        text = self.boolean(2)[0] if array.element == "bool" else None
        if text is None:
            text = self.any(2)[0] if is_float(array.element) else self.integer(2)[0]
        self.add(f"{self.element(array)} = {text}")

    def view(self):
        """A view of an array that is only read, kept in a variable."""
        readable = [a for a in self.arrays if min(a.shape) >= 2 and a.name.startswith("x")]
        if not readable or self.source.depth > 1:
            return self.assign()
        array = self.rng.choice(readable)
        whole = np.empty(array.shape)
        texts = []
        for extent in array.shape:
            r = self.rng.random()
            if r < 0.3 and len(array.shape) == 2 and not any(":" not in t for t in texts):
                texts.append(str(self.rng.randrange(-extent, extent)))
                continue
            step = self.rng.choice(["", "::2", "::-1", "1:", ":-1", "1::2", "::-2", "-2:", ":"])
            texts.append(step or ":")
        text = ", ".join(texts)
        shape = eval(f"whole[{text}]", {"whole": whole}).shape
        if not shape or min(shape) == 0:
            return self.assign()
        name = self.name("view")
        self.add(f"{name} = {array.name}[{text}]")
        self.arrays.append(Array(name, array.element, shape))

    def atomic(self):
        if not self.atomics:
            return self.assign()
        self.rng.choice(self.atomics)(self)

    def exchange(self):
        """Own element of a shared array written, a barrier, others' elements read, a barrier."""
        if not self.uniform or not self.exchanges:
            return self.store()
        name, element, own, extents = self.rng.choice(self.exchanges)
        value = self.real(2) if is_float(element) else self.integer(2)
        self.add(f"{name}[{own}] = {value[0]}")
        self.wait()
        target = self.name()
        read = self.element(Array(name, element, extents, padded=True))
        if self.chance(0.4):
            other, t = self.integer(1) if not is_float(element) else self.real(1)
            self.add(f"{target} = {read} + {other}")
            self.types[target] = oracle.result_type("add", element, t)
        else:
            self.add(f"{target} = {read}")
            self.types[target] = element
        self.wait()

    def wait(self):
        if self.chance(0.15):
            name = self.name()
            self.add(f"{name} = {self.vote_text()}")
            self.types[name] = "int32"
        else:
            self.add("cuda.syncthreads()")

    def vote_text(self):
        kind = self.rng.choice(["count", "and", "or"])
        return f"cuda.syncthreads_{kind}(np.int32({self.condition(1)}))"

    def vote(self):
        if not self.uniform:
            return self.assign()
        name = self.name()
        self.add(f"{name} = {self.vote_text()}")
        self.types[name] = "int32"


class Helper:
    """A device function: parameter types (of scalars), the type of its result or a tuple of them, its source."""

    def __init__(self, rng, number, earlier):
        self.name = f"f{number}"
        source = Source()
        body = Body(rng, source, earlier)
        body.uniform = False
        self.parameters = [rng.choice(oracle.scalars) for _ in range(rng.randint(1, 3))]
        names = [f"a{i}" for i in range(len(self.parameters))]
        body.types = dict(zip(names, self.parameters, strict=True))
        count = rng.choice([1, 1, 1, 2])
        kinds = [rng.choice(["integer", "real"]) for _ in range(count)]
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
        body.budget = rng.randint(1, 5)
        for _ in range(body.budget):
            body.statement()
        source.add(result(body))
        self.result = types[0] if count == 1 else tuple(types)
        lines = ["@cuda.jit(device=True)", f"def {self.name}({', '.join(names)}):", *source.lines]
        self.text = "\n".join(lines) + "\n"


views_1d = ["", "", "", "[::-1]", "[::2]", "[1:]", "[::-3]"]
views_2d = ["", "", ".T", "[::-1]", "[:, ::-1]", "[::2, 1:]", ".T[::-1, ::2]"]


def base_shape(view, shape):
    """The shape of a base whose `view` has at least `shape`, and the view cut to it."""
    if len(shape) == 1:
        return (shape[0] * 3 + 2,), f"{view}[:{shape[0]}]" if view else f"[:{shape[0]}]"
    base = (shape[0] * 2 + 2, shape[1] * 2 + 2)
    if ".T" in view:
        base = base[::-1]
    return base, f"{view}[:{shape[0]}, :{shape[1]}]"


def values(rng, dtype, count, wild):
    """Numbers of a type: small ones whose sums and products are exact, and what tends to break things."""
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(count)])
    if dtype in oracle.floating:
        small = [rng.randrange(-256, 257) / rng.choice([1, 2, 4, 8]) for _ in range(count)]
        if wild:
            special = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e30, -1e-30, 0.1]
            small = [rng.choice(special) if rng.random() < 0.3 else x for x in small]
        return np.array(small, dtype)
    info = np.iinfo(dtype)
    low = max(int(info.min), -100)
    small = [rng.randrange(low, 101) for _ in range(count)]
    if wild:
        edges = [int(info.min), int(info.max), int(info.max) - 1, 0, 1, int(info.min) // 2]
        small = [rng.choice(edges) if rng.random() < 0.3 else x for x in small]
    return np.array(small, dtype)


def array_argument(rng, dtype, shape, views=True, wild=False):
    """An argument whose view has this shape, in one of several layouts."""
    options = (views_1d if len(shape) == 1 else views_2d) if views else [""]
    view = rng.choice(options)
    if view == "":
        base, text = shape, ""
    elif view == ".T":
        base, text = shape[::-1], ".T"
    else:
        base, text = base_shape(view, shape)
    count = int(np.prod(base))
    return ArrayArgument(values(rng, dtype, count, wild).reshape(base), text)


def generate(seed):
    """The launch of a seed: always the same one."""
    rng = random.Random(seed)
    if rng.random() < 0.1:
        return streaming(rng, seed)
    return general(rng, seed)


def general(rng, seed):
    flat = rng.random() < 0.75
    if flat:
        threads, blocks = rng.choice([32, 33, 40, 48, 64]), rng.choice([1, 2, 2, 3])
        grid, block, total = (blocks,), (threads,), (blocks * threads,)
    else:
        block = rng.choice([(8, 4), (4, 8), (16, 3), (5, 7)])
        grid = rng.choice([(1, 1), (2, 1), (1, 2)])
        total = tuple(g * b for g, b in zip(grid, block, strict=True))
    # Some threads have nothing to do, mostly.
    live = tuple(max(1, n - rng.choice([0, 1, 3, 5])) for n in total)

    helpers = []
    for i in range(rng.choice([0, 0, 1, 1, 2])):
        helpers.append(Helper(rng, i, list(helpers)))
    source = Source()
    body = Body(rng, source, helpers)
    arguments = {}

    # Scalars of the launch.
    for i in range(rng.randint(0, 3)):
        t = rng.choice(oracle.scalars)
        name = f"p_{i}" if t != "bool" and not is_float(t) else f"s_{i}"
        value = values(rng, t, 1, rng.random() < 0.2)[0]
        arguments[name] = value
        body.types[name] = t
        body.fixed.add(name)
    for i in range(rng.randint(1, 4)):
        t = rng.choice(oracle.scalars)
        shape = rng.choice([live, (7,), (3, 5), (1,), total, (live[0],)])
        arguments[f"x{i}"] = array_argument(rng, t, shape, wild=rng.random() < 0.15)
        arguments[f"x{i}"].writeable = rng.random() < 0.9
        body.arrays.append(Array(f"x{i}", t, shape))
    if rng.random() < 0.1:
        arguments["empty"] = ArrayArgument(np.zeros(rng.choice([(0,), (3, 0)]), np.float32))

    own = "i" if flat else "i, j"
    for k in range(rng.randint(1, 3)):
        t = rng.choice(oracle.scalars)
        extra = rng.choice([0, 0, 3]) if flat else 0
        name = f"out{k}"
        shape = live if not extra else rng.choice([(*live, extra), (extra, *live)])
        arguments[name] = array_argument(rng, t, shape)
        if not extra:
            body.outputs.append((f"{name}[{own}]", t))
            if flat and rng.random() < 0.2:
                body.outputs.append((f"{name}[i - {live[0]}]", t))
        for m in range(extra):
            index = f"{own}, {m}" if shape[-1] == extra else f"{m}, {own}"
            body.outputs.append((f"{name}[{index}]", t))
        # Another name for the same memory, of which each thread reads its own elements.
        if rng.random() < 0.15 and arguments[name].view == "":
            arguments[f"again{k}"] = SameArray(name)
            body.readable += [
                (place.replace(name, f"again{k}", 1), t)
                for place, t in body.outputs
                if place.startswith(f"{name}[")
            ]
    add_atomics(rng, body, arguments, own, live)

    # Shared arrays, filled by every thread before any of them leaves.
    thread = "t" if flat else "tx, ty"
    shared_lines = []
    if rng.random() < 0.55:
        for k in range(rng.choice([1, 1, 2])):
            t = rng.choice([*integers, "float32", "float64"])
            padded = block if rng.random() < 0.7 else (*block[:-1], block[-1] + 1)
            text = str(padded[0]) if flat else str(padded)
            shared_lines.append((f"sh{k}", t, text, block))
    indices(rng, source, flat)
    body.types |= {"i": "int64", "t": "int32"} if flat else {}
    body.types |= {} if flat else {"i": "int64", "j": "int64", "tx": "int32", "ty": "int32"}
    body.fixed |= set(body.types)
    for name, t, text, extents in shared_lines:
        source.add(f"{name} = cuda.shared.array({text}, np.{t})")
        initial = body.real_literal()[0] if is_float(t) else f"{rng.choice(['i', '3', thread[0]])}"
        initial = initial if initial != "t" or flat else "tx"
        source.add(f"{name}[{thread}] = {initial}")
        body.exchanges.append((name, t, thread, extents))
    if shared_lines:
        source.add("cuda.syncthreads()")
    inside = guard(rng, source, flat, live, total, arguments, body)
    body.returns = None if inside else lambda body: "return"
    body.uniform = not inside
    body.budget = rng.choice([3, 4, 5, 6, 7, 8, 12])
    while body.budget > 0:
        body.statement()
    # What was computed goes out.
    names = [n for n in body.assignable() if n not in arguments]
    for place, t in body.outputs:
        if names and rng.random() < 0.6:
            name = rng.choice(names)
            if t == "bool":
                source.add(f"{place} = bool({name})")
            elif not is_float(body.types[name]) or is_float(t):
                source.add(f"{place} = {name}")
    options = {"opt": False} if rng.random() < 0.15 else {}
    return finish(seed, helpers, source, grid, block, arguments, options)


def indices(rng, source, flat):
    if flat:
        source.add(
            rng.choice(
                ["i = cuda.grid(1)"] * 2
                + ["i = np.int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x"]
                + ["i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x"]
            )
        )
        source.add("t = cuda.threadIdx.x")
    else:
        source.add("i, j = cuda.grid(2)")
        source.add("tx, ty = cuda.threadIdx.x, cuda.threadIdx.y")


def guard(rng, source, flat, live, total, arguments, body):
    """Keeps threads without an element of their own away from it; true when the rest stands inside an if."""
    if live == total and rng.random() < 0.7:
        return False
    extents = [str(n) for n in live]
    outside = " or ".join(f"{v} >= {n}" for v, n in zip("ij", extents, strict=False))
    if rng.random() < 0.7:
        source.add(f"if {outside}:")
        source.add("    return")
        return False
    source.add(f"if {' and '.join(f'{v} < {n}' for v, n in zip('ij', extents, strict=False))}:")
    source.depth += 1
    return True


def add_atomics(rng, body, arguments, own, live):
    """Up to two arrays that atomics change: one operation each, whose order does not show."""
    for k in range(rng.choice([0, 0, 1, 1, 2])):
        name, size = f"acc{k}", rng.choice([1, 3, 8])
        op = rng.choice(
            ["add", "sub", "min", "max", "and_", "or_", "xor", "inc", "dec", "cas", "exch"]
        )
        t = rng.choice(atomic_types)
        if op in ("add", "min", "max", "sub") and rng.random() < 0.35:
            t = rng.choice(oracle.floating)
        if op in ("inc", "dec"):
            t = rng.choice(["uint32", "uint64"])
        if op in ("cas", "exch"):
            # Every thread has an element of its own, and may use the old value.
            arguments[name] = array_argument(rng, t, live)
            body.atomics.append(own_atomic(name, op, t, own))
            continue
        arguments[name] = array_argument(rng, t, (size,))
        body.atomics.append(shared_atomic(name, op, t, size))


def shared_atomic(name, op, t, size):
    def write(body):
        place, _ = body.integer(1)
        index = f"np.int64({place}) % {size}" if size > 1 else "0"
        if is_float(t):
            value = f"np.{t}(({body.integer(1)[0]}) % 64)"
        elif op in ("inc", "dec"):
            value = "5"
        else:
            value = body.integer(2)[0]
        body.add(f"cuda.atomic.{op}({name}, {index}, {value})")

    return write


def own_atomic(name, op, t, own):
    index = own if "," not in own else f"({own})"

    def write(body):
        values_ = body.integer(2)[0]
        if op == "cas":
            values_ = (
                f"{name}[{own}] if {body.condition(1)} else {body.integer_literal()[0]}, {values_}"
            )
        target = body.name()
        body.add(f"{target} = cuda.atomic.{op}({name}, {index}, {values_})")
        body.types[target] = t

    return write


def streaming(rng, seed):
    """One element per thread and no more: what coarsening and vectorising look for, at sizes around their multiples."""
    n = rng.choice([1, 2, 3, 31, 255, 256, 257, 511, 640, 1000, 1021, 1500, 2047])
    threads = rng.choice([32, 64, 128, 256])
    blocks = -(-n // threads) + rng.choice([0, 0, 1])
    source = Source()
    body = Body(rng, source, [])
    body.uniform = False
    arguments = {}
    wide = rng.choice([["float32"], ["float64"], ["int32"], oracle.scalars])
    for i in range(rng.randint(1, 3)):
        t = rng.choice(wide)
        arguments[f"x{i}"] = array_argument(rng, t, (n,), views=rng.random() < 0.2)
    t = rng.choice(wide)
    arguments["out0"] = array_argument(rng, t, (n,), views=rng.random() < 0.1)
    if rng.random() < 0.3:
        arguments["p_0"] = values(rng, rng.choice(wide), 1, False)[0]
    source.add("i = cuda.grid(1)")
    names = [name for name in arguments if name.startswith("x")]
    if rng.random() < 0.5:
        source.add(f"if i < {rng.choice(['out0.size', 'out0.shape[0]', str(n), 'x0.size'])}:")
        source.depth += 1
    else:
        source.add("if i >= out0.size:")
        source.add("    return")
    # Each input's element of this thread is a variable; expressions see nothing else.
    for name in names:
        source.add(f"e_{name} = {name}[i]")
        body.types[f"e_{name}"] = arguments[name].base.dtype.name
    if "p_0" in arguments:
        body.types["p_0"] = arguments["p_0"].dtype.name
        body.fixed.add("p_0")
    body.budget = rng.randint(0, 3)
    while body.budget > 0:
        body.statement()
    text, _ = body.boolean(2) if t == "bool" else body.any(2) if is_float(t) else body.integer(2)
    source.add(f"out0[i] = {text}")
    case = finish(seed, [], source, (blocks,), (threads,), arguments)
    whole = all(a.view == "" for a in arguments.values() if isinstance(a, ArrayArgument))
    own = not any(word in case.source for word in ("cuda.threadIdx", f"i < {n}:"))
    case.elementwise = whole and own
    return case


def finish(seed, helpers, source, grid, block, arguments, options=()):
    order = list(arguments)
    random.Random(seed).shuffle(order)
    arguments = {name: arguments[name] for name in order}
    lines = ["@cuda.jit", f"def kernel({', '.join(arguments)}):", *source.lines]
    text = "\n\n".join([*(helper.text for helper in helpers), "\n".join(lines) + "\n"])
    return Case(seed, text, "kernel", grid, block, arguments, dict(options))
