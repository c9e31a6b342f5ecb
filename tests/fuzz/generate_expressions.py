"""Random expressions of real numbers and bools: pairs (text, type)."""

import ast

import numpy as np
import oracle
from kernel_types import mixed_type, numpy_float_type, unify

integers = [*oracle.signed, *oracle.unsigned]
atomic_types = ["int32", "uint32", "int64", "uint64"]
unary_math = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"]
unary_math += ["atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc"]
unary_math += ["sqrt", "fabs", "floor", "ceil", "trunc", "sqrt", "fabs", "floor", "cbrt"]
numpy_math = ["sin", "cos", "arctan", "exp", "log", "sqrt", "floor", "rint", "cbrt", "tanh"]
comparisons = ["<", "<=", ">", ">=", "==", "!="]
symbols = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/"}
symbols |= {"and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "pow": "**"}


def is_float(t):
    return t in oracle.floating


def math_type(t):
    return "float32" if t == "float32" else "float64"


class Array:
    """An array that expressions may read: its name in the kernel, element type, and extents.

    padded: the array is larger than `shape`; only the part in `shape` has values.
    suffix: the text after the index, for a field of an array of records.
    contiguous: whether it is in C order.
    """

    def __init__(self, name, element, shape, padded=False, suffix="", contiguous=False):
        self.name = name
        self.element = element
        self.shape = shape
        self.padded = padded
        self.suffix = suffix
        self.contiguous = contiguous


def is_literal(text):
    try:
        ast.literal_eval(text)
        return True
    except (ValueError, SyntaxError):
        return False


class Expressions:
    def make_any(self, depth):
        r = self.rng.random()
        if r < 0.5:
            return self.make_integer(depth)
        return self.make_real(depth) if r < 0.9 else self.make_boolean(depth)

    # Leaves of expressions

    def list_variables(self, accept):
        return [(name, t) for name, t in self.types.items() if isinstance(t, str) and accept(t)]

    def choose_leaf(self, accept, literal):
        """A variable, an element or a literal of an accepted type."""
        choices = self.list_variables(accept)
        again = [(text, t) for text, t in self.readable if accept(t)]
        if again and self.chance(0.3):
            return self.rng.choice(again)
        r = self.rng.random()
        if choices and r < 0.55:
            return self.rng.choice(choices)
        arrays = [a for a in [*self.arrays, *self.locals] if accept(a.element)]
        if arrays and r < 0.85 and self.nesting < 2:
            array = self.rng.choice(arrays)
            return self.make_element(array), array.element
        if not choices or r > 0.93:
            return literal()
        return self.rng.choice(choices)

    def make_element(self, array):
        """An element of an array at an index within bounds."""
        indices = []
        self.nesting += 1
        for axis in range(len(array.shape)):
            text, t = self.make_nonliteral(self.rng.choice([0, 0, 1]))
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
            return f"{array.name}[{indices[0]}][{indices[1]}]{array.suffix}"
        if len(indices) == 2 and self.chance(0.1):
            return f"{array.name}.T[{indices[1]}, {indices[0]}]{array.suffix}"
        return f"{array.name}[{', '.join(indices)}]{array.suffix}"

    def make_integer_literal(self):
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

    def make_real_literal(self):
        rng = self.rng
        value = rng.choice([0.5, 1.5, -0.25, 2.0, 3.0, -4.0, 0.125, 10.0, 0.1, 1e-3, 0.0])
        if rng.random() < 0.4:
            return f"np.float32({value})", "float32"
        return repr(value), "float64"

    def make_integer(self, depth):
        """An expression of an integer type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.choose_leaf(lambda t: t in integers, self.make_integer_literal)
        kind = rng.random()
        if kind < 0.1:
            found = self.make_special(depth, lambda t: t in integers)
            if found:
                return found
        if kind < 0.6:
            return self.make_integer_operation(depth)
        if kind < 0.7:
            t = rng.choice(integers)
            text, _ = self.make_any(depth - 1)
            return f"np.{t}({text})", t
        if kind < 0.74:
            text, t = self.make_integer(depth - 1)
            return (f"abs({text})", t) if t in integers else (text, t)
        if kind < 0.80:
            return self.make_choice("make_integer", depth)
        if kind < 0.86:
            (a, ta), (b, tb) = self.make_integer(depth - 1), self.make_integer(depth - 1)
            t = unify(ta, tb)
            if is_float(t):
                b, t = f"np.{ta}({b})", ta
            name = rng.choice(["min", "max", "np.maximum", "np.minimum"])
            return f"{name}({a}, {b})", t
        if kind < 0.90:
            name = rng.choice(["popc", "clz", "ffs"])
            text, t = self.make_integer(depth - 1)
            return f"cuda.{name}({text})", "uint32" if name == "ffs" else t
        if kind < 0.93:
            text, t = self.make_boolean(max(depth - 1, 1))
            return f"({text} + {self.rng.choice([0, 1, 3])})", "int64"
        if kind < 0.95:
            text, t = self.make_real(depth - 1)
            return f"int({text})", "int64"
        if kind < 0.97:
            return self.make_operations_on_one_value()
        return self.make_helper_call(depth, lambda t: t in integers) or self.make_integer_operation(
            depth
        )

    def make_integer_operation(self, depth):
        rng = self.rng
        op = rng.choice(
            ["add", "sub", "mul", "add", "sub", "mul", "and_", "or_", "xor", "mod", "floordiv"]
            + ["lshift", "rshift", "neg", "invert", "pow"]
        )
        a, ta = self.make_nonliteral(depth - 1)
        if op in ("neg", "invert"):
            return f"({'-' if op == 'neg' else '~'}{a})", oracle.result_type(op, ta)
        if op in ("lshift", "rshift"):
            b, tb = rng.choice([(str(rng.randrange(64)), "int64"), self.make_small_amount()])
        elif op == "pow":
            b, tb = str(rng.randrange(5)), "int64"
        else:
            b, tb = self.make_integer(depth - 1)
            if op in ("mod", "floordiv") and rng.random() < 0.7:
                b = rng.choice(["7", "-3", f"np.int64({self.make_nonliteral(depth - 1)[0]} | 1)"])
                tb = "int64"
        return self.format_operation(op, a, b), oracle.result_type(op, ta, tb)

    def make_operations_on_one_value(self):
        """Two operations on the same value, and one on their results, such as ``(x << 5) - (x >> 59)``."""
        rng = self.rng
        x, t = self.make_nonliteral(0)
        left = rng.randrange(1, 64)
        right = 64 - left if rng.random() < 0.7 else rng.randrange(64)
        forms = [(f"({x} << {left})", oracle.result_type("lshift", t, "int64"))]
        forms += [(f"({x} >> {right})", oracle.result_type("rshift", t, "int64"))]
        forms += [(f"({x} * {2 ** min(left, 31)})", oracle.result_type("mul", t, "int64"))]
        forms += [(f"({x} + {x})", oracle.result_type("add", t, t))]
        forms += [(f"(-{x})", oracle.result_type("neg", t))]
        forms += [
            (f"np.int64({x} < 0)", "int64"),
            (f"({x} & 1)", oracle.result_type("and_", t, "int64")),
        ]
        (a, ta), (b, tb) = rng.sample(forms, 2)
        op = rng.choice(["add", "sub", "add", "sub", "or_", "xor"])
        return self.format_operation(op, a, b), oracle.result_type(op, ta, tb)

    def format_operation(self, op, a, b):
        """The text of an operation, sometimes as a function of Python's operator module."""
        if self.chance(0.04):
            name = op if op.endswith("_") or self.chance(0.7) else f"i{op}"
            return f"operator.{name}({a}, {b})"
        return f"({a} {symbols[op]} {b})"

    def make_nonliteral(self, depth):
        for _ in range(5):
            value = self.make_integer(depth)
            if not is_literal(value[0]):
                return value
        choices = self.list_variables(lambda t: t in integers)
        return self.rng.choice(choices) if choices else ("cuda.threadIdx.x", "int32")

    def make_small_amount(self):
        text, t = self.choose_leaf(lambda t: t in integers, self.make_integer_literal)
        if t == "uint64":
            text = f"np.int64({text})"
        if is_literal(text):
            return str(abs(int(text)) % 64), "int64"
        return f"({text} & {self.rng.choice([7, 31, 63])})", "int64"

    def make_real(self, depth):
        """An expression of a float type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.choose_leaf(is_float, self.make_real_literal)
        kind = rng.random()
        if kind < 0.1:
            found = self.make_special(depth, is_float)
            if found:
                return found
        if kind < 0.5:
            return self.make_real_operation(depth)
        if kind < 0.58:
            text, _ = self.make_any(depth - 1)
            t = rng.choice(oracle.floating)
            return f"np.{t}({text})", t
        if kind < 0.72:
            text, t = self.make_real(depth - 1)
            return f"math.{rng.choice(unary_math)}({text})", math_type(t)
        if kind < 0.75:
            text, t = self.make_any(depth - 1)
            return f"np.{rng.choice(numpy_math)}({text})", numpy_float_type(t)
        if kind < 0.81:
            return self.make_choice("make_real", depth)
        if kind < 0.86:
            (a, ta), (b, tb) = self.make_real(depth - 1), self.make_any(depth - 1)
            name = rng.choice(["min", "max", "np.maximum", "np.fmin"])
            t = name.startswith("np.") and mixed_type(ta, tb)
            return f"{name}({a}, {b})", t or unify(ta, tb)
        if kind < 0.90:
            (a, ta), (b, tb) = self.make_real(depth - 1), self.make_real(depth - 1)
            name = rng.choice(["atan2", "hypot", "fmod", "copysign"])
            return f"math.{name}({a}, {b})", unify(ta, tb)
        if kind < 0.92:
            (a, ta), (b, tb) = self.make_integer(depth - 1), self.make_nonliteral(depth - 1)
            return f"({a} / ({b} | 1))", "float64"
        if kind < 0.94:
            values = [self.make_real(depth - 1) for _ in range(3)]
            t = "float32" if all(t == "float32" for _, t in values) else "float64"
            return f"cuda.fma({', '.join(text for text, _ in values)})", t
        if kind < 0.96:
            text, t = self.make_real(depth - 1)
            return f"abs({text})", t
        return self.make_helper_call(depth, is_float) or self.make_real_operation(depth)

    def make_real_operation(self, depth):
        rng = self.rng
        op = rng.choice(
            ["add", "sub", "mul", "add", "sub", "mul", "truediv", "mod", "floordiv", "neg", "pow"]
        )
        a, ta = self.make_real_value(depth - 1)
        if op == "neg":
            return f"(-{a})", ta
        if op == "pow":
            return f"({a} ** {rng.choice([2, 3, 2, -1, 4])})", ta
        b, tb = self.make_real(depth - 1) if rng.random() < 0.6 else self.make_any(depth - 1)
        if rng.random() < 0.5:
            a, ta, b, tb = b, tb, a, ta
        return self.format_operation(op, a, b), oracle.result_type(op, ta, tb)

    def make_boolean(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth <= 0:
            choices = self.list_variables(lambda t: t == "bool")
            if choices and kind < 0.5:
                return rng.choice(choices)
            depth = 1
        if kind < 0.06:
            found = self.make_special(depth, lambda t: t == "bool")
            if found:
                return found
        if kind < 0.55:
            a, _ = (
                self.make_nonliteral(depth - 1)
                if rng.random() < 0.6
                else self.make_real_value(depth - 1)
            )
            b, _ = self.make_any(depth - 1)
            op = rng.choice(comparisons)
            if rng.random() < 0.1:
                c, _ = self.make_integer(depth - 1)
                return f"({b} {rng.choice(comparisons)} {a} {op} {c})", "bool"
            return f"({a} {op} {b})", "bool"
        if kind < 0.75:
            (a, _), (b, _) = self.make_boolean(depth - 1), self.make_boolean(depth - 1)
            return f"({a} {rng.choice(['and', 'or'])} {b})", "bool"
        if kind < 0.85:
            text, _ = self.make_boolean(depth - 1)
            return f"(not {text})", "bool"
        if kind < 0.9:
            (a, _), (b, _) = self.make_boolean(depth - 1), self.make_boolean(depth - 1)
            return f"({a} {rng.choice('&|^')} {b})", "bool"
        if kind < 0.95:
            text, _ = self.make_real_value(depth - 1)
            return f"math.{rng.choice(['isnan', 'isinf', 'isfinite'])}({text})", "bool"
        text, _ = self.make_nonliteral(depth - 1)
        return f"bool({text})", "bool"

    def make_real_value(self, depth):
        for _ in range(5):
            value = self.make_real(depth)
            if not is_literal(value[0]):
                return value
        return "np.float32(cuda.threadIdx.x)", "float32"

    def make_condition(self, depth=2):
        """A condition that is not constant."""
        return self.make_boolean(depth)[0]

    def make_choice(self, kind, depth):
        make = getattr(self, kind)
        (a, ta), (b, tb) = make(depth - 1), make(depth - 1)
        t = unify(ta, tb)
        if kind == "make_integer" and is_float(t):
            b, t = f"np.{ta}({b})", ta
        condition, _ = self.make_boolean(depth - 1)
        if self.chance(0.2):
            return f"cuda.selp({condition}, {a}, {b})", t
        return f"({a} if {condition} else {b})", t

    def make_helper_call(self, depth, accept):
        """A call of a device function with an accepted result type."""
        choices = [
            h for h in self.list_callable() if isinstance(h.result, str) and accept(h.result)
        ]
        if not choices:
            return None
        helper = self.rng.choice(choices)
        return f"{helper.name}({self.make_helper_arguments(helper, depth)})", helper.result

    def make_helper_arguments(self, helper, depth):
        """A call's arguments; the last ones may be keywords, and those with defaults may be omitted."""
        texts = [self.rng.choice(self.list_arrays_of(helper.array))] if helper.array else []
        named = not helper.rest and self.chance(0.3)
        for i, parameter in enumerate(helper.parameters):
            if parameter.default is not None and not helper.rest and self.chance(0.4):
                named = True
                continue
            text = self.make_of_type(parameter.type, min(depth - 1, 1))
            by_name = parameter.only_named or (named and i > 0)
            texts.append(f"{parameter.name}={text}" if by_name else text)
        if helper.rest:
            own = len(texts) - sum(p.only_named for p in helper.parameters)
            left = [
                self.make_of_type(self.rng.choice(oracle.scalars), 0)
                for _ in range(self.rng.randrange(4))
            ]
            tuples = [name for name, t in self.types.items() if isinstance(t, tuple)]
            if tuples and self.chance(0.5):
                left.append(f"*{self.rng.choice(tuples)}")
            texts[own:own] = left
        return ", ".join(texts)

    def make_of_type(self, t, depth):
        """An expression with exactly this type."""
        text, _ = self.make_any(depth)
        return f"np.{t}({text})" if t != "bool" else f"bool({text})"
