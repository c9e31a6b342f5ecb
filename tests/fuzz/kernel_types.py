"""Types of values in kernels, and how the interpreter's code converts between them.

A type is the name of a number type ("int8", "bool", "float16", "complex64"), a tuple of types, a Named tuple, "none",
or an instance of a class below.
"""

import ast
from dataclasses import dataclass

import arithmetic as ar
import oracle

floats = ("float16", *oracle.floating)
part_of = {"complex64": "float32", "complex128": "float64"}
complexes = tuple(part_of)


class Untranslatable(Exception):
    pass


@dataclass(frozen=True)
class ArrayType:
    element: object
    ndim: int


@dataclass(frozen=True)
class RecordType:
    """fields: pairs (name, type); the type is a number type or another record type."""

    fields: tuple

    def field(self, name):
        """(index, type) of a field."""
        for i, (own, t) in enumerate(self.fields):
            if own == name:
                return i, t
        raise Untranslatable(f"no field {name}")


@dataclass(frozen=True)
class Optional:
    """None or a value of the type."""

    value: object


@dataclass(frozen=True)
class FunctionType:
    """A function, by its number in the program; its value at run time is the tuple of captured values."""

    number: int
    captured: tuple = ()  # pairs (name, type)


class Named(tuple):
    """The type of a namedtuple: a tuple of types that has the fields' names."""

    def __new__(cls, name, fields, types):
        self = super().__new__(cls, types)
        self.name, self.fields = name, tuple(fields)
        return self

    def __eq__(self, other):
        same = isinstance(other, tuple) and tuple.__eq__(self, other)
        return same and getattr(other, "name", None) == self.name

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.name, tuple(self)))


def is_scalar(t):
    """True if it is the type of a real number or a bool."""
    return isinstance(t, str) and t != "none" and t not in part_of


def is_complex(t):
    return t in complexes


def is_number(t):
    return isinstance(t, str) and t != "none"


def is_float(t):
    return t in floats


def is_integer(t):
    return t in oracle.integral and t != "bool"


def math_type(t):
    return "float32" if t == "float32" else "float64"


def numpy_float_type(t):
    small = ("bool", "int8", "uint8", "int16", "uint16", "float32")
    return "float32" if t in small else "float64"


def mixed_type(a, b):
    """The float type in which NumPy's functions compute with a float and an integer."""
    if is_float(a) and is_integer(b):
        return a
    return b if is_integer(a) and is_float(b) else None


def result_type(op, a, b=""):
    """numba's result type of an operation on numbers; None if it has none."""
    if op in oracle.comparisons:
        return "bool"
    if is_complex(a) or is_complex(b):
        if op not in ("add", "sub", "mul", "neg"):
            return None
        if not b:
            return a
        narrow = all(t == "complex64" or _fits_float32(t) for t in (a, b))
        return "complex64" if narrow else "complex128"
    if "float16" in (a, b):
        return _float16_result_type(op, a, b)
    return oracle.result_type(op, a, b)


def _fits_float32(t):
    return t in ("bool", "int8", "uint8", "int16", "float16", "float32")


def _float16_result_type(op, a, b):
    """numba-cuda's rules for float16: with float16, bool and int8 the result is float16, for + - * / only."""
    if op in ("and_", "or_", "xor", "lshift", "rshift", "invert"):
        return None
    if not b:
        return a
    if op == "pow":
        return "float32" if a == b else None
    joined = {a, b} <= {"float16", "bool", "int8"}
    t = "float16" if joined else "float32" if _fits_float32(a) and _fits_float32(b) else "float64"
    return "float32" if t == "float16" and op not in ("add", "sub", "mul", "truediv") else t


def unify(a, b):
    """The type of a variable that can have either type."""
    if a == b:
        return a
    if is_number(a) and is_number(b):
        return _unify_numbers(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        types = [unify(x, y) for x, y in zip(a, b, strict=True)]
        if isinstance(a, Named) and isinstance(b, Named) and a.name == b.name:
            return Named(a.name, a.fields, types)
        return tuple(types)
    if "none" in (a, b):
        other = b if a == "none" else a
        if isinstance(other, Optional):
            return other
        if is_number(other):
            return Optional(other)
    if isinstance(a, Optional) or isinstance(b, Optional):
        return Optional(unify(*(t.value if isinstance(t, Optional) else t for t in (a, b))))
    raise Untranslatable(f"{a} and {b} have no common type")


def _unify_numbers(a, b):
    if is_complex(a) or is_complex(b):
        real = _unify_numbers(part_of.get(a, a), part_of.get(b, b))
        return "complex128" if real == "float64" else "complex64"
    return ar.unify(a, b)


def merge_variables(*envs):
    """The variables that every path defines, each with a type that can hold all its values; None if no path arrives."""
    live = [env for env in envs if env is not None]
    if not live:
        return None
    merged = dict(live[0])
    for env in live[1:]:
        merged = {name: unify(t, env[name]) for name, t in merged.items() if name in env}
    return merged


def convert_code(code, start, to):
    if start == to:
        return code
    if isinstance(to, Optional):
        if start == "none":
            return code
        if not isinstance(start, Optional):
            return convert_code(code, start, to.value)
        own = convert_code("_v", start.value, to.value)
        return code if own == "_v" else f"_unless_none({code}, lambda _v: {own})"
    if isinstance(start, Optional):
        return convert_code(code, start.value, to)
    if isinstance(start, tuple) and isinstance(to, tuple) and len(start) == len(to):
        items = ", ".join(
            convert_code(f"{code}[{i}]", s, t)
            for i, (s, t) in enumerate(zip(start, to, strict=True))
        )
        return code if tuple(start) == tuple(to) else f"({items},)"
    if is_complex(to):
        if is_complex(start):
            return f"_to_{to}({code})"
        if is_scalar(start):
            return f"Complex({convert_code(code, start, part_of[to])}, 0.0)"
    if not is_scalar(start) or not is_scalar(to):
        raise Untranslatable(f"{start} is not {to}")
    if start == "bool" and to == "float64":
        return f"float({code})"
    if is_integer(start) and to == "bool":
        return f"({code} != 0)"
    if ar.conversions[start, to] is None:
        return code
    return f"_from_{start}_to_{to}({code})"


def convert_to_truth(code, t):
    if t == "bool":
        return code
    if is_complex(t):
        return f"complex_truth({code})"
    if isinstance(t, Optional) and is_scalar(t.value):
        own = convert_to_truth("_v", t.value)
        return f"bool(_unless_none({code}, lambda _v: {own}))"
    if not is_scalar(t):
        raise Untranslatable(f"the truth of {t}")
    return convert_code(code, t, "bool")


def format_dotted_name(node):
    """The text, such as `cuda.threadIdx.x`, of a dotted name; empty for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = format_dotted_name(node.value)
        return base and f"{base}.{node.attr}"
    return ""
