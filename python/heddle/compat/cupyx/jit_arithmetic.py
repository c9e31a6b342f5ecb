"""Arithmetic of ``cupyx.jit`` kernels: C's types, and CuPy's semantics of ``//``, ``%``, ``/`` and ``**``.

An operation converts its operands to their common type and computes in it. The common type of int32 and uint32 is
uint32, of float32 and int64 float32; operands smaller than int32 become int32. With ``mode="numpy"``, the common type
is NumPy's. Python numbers have the types in ``types_of_numbers``; their values are converted exactly.
"""

import functools

import numpy as np

from heddle import types
from heddle.extension.overloads import overload

_ranks = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
types_of_numbers = {
    "cuda": {"b": "bool", "i": "int32", "l": "int64", "f": "float32", "c": "complex64"},
    "numpy": {"b": "bool", "i": "int64", "l": "int64", "f": "float64", "c": "complex128"},
}
# Under numba's rules, int32 + int32 is an int64: `to` converts the operands, `out` truncates the result.
_operations = {
    "add": lambda to, out: lambda a, b: out(to(a) + to(b)),
    "sub": lambda to, out: lambda a, b: out(to(a) - to(b)),
    "mul": lambda to, out: lambda a, b: out(to(a) * to(b)),
    "truediv": lambda to, out: lambda a, b: out(to(a) / to(b)),
    "lshift": lambda to, out: lambda a, b: out(to(a) << to(b)),
    "rshift": lambda to, out: lambda a, b: out(to(a) >> to(b)),
    "and": lambda to, out: lambda a, b: out(to(a) & to(b)),
    "or": lambda to, out: lambda a, b: out(to(a) | to(b)),
    "xor": lambda to, out: lambda a, b: out(to(a) ^ to(b)),
    "eq": lambda to, out: lambda a, b: to(a) == to(b),
    "ne": lambda to, out: lambda a, b: to(a) != to(b),
    "lt": lambda to, out: lambda a, b: to(a) < to(b),
    "le": lambda to, out: lambda a, b: to(a) <= to(b),
    "gt": lambda to, out: lambda a, b: to(a) > to(b),
    "ge": lambda to, out: lambda a, b: to(a) >= to(b),
    "convert": lambda to, out: lambda a, b: to(a),
}
# Operations on operands that are not numbers: addresses, vectors, groups.
_others = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "min": lambda a, b: min(a, b),
    "max": lambda a, b: max(a, b),
    "convert": lambda a, b: a,
}
_of_integers = frozenset({"lshift", "rshift", "and", "or", "xor"})
_comparisons = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def _make_floordiv_or_mod(name, to, is_float):
    if name == "floordiv":
        if is_float:
            return lambda a, b: np.floor(to(a) / to(b))
        return lambda a, b: to(to(a) // to(b)) if to(b) != 0 else to(0)
    if is_float:
        return lambda a, b: to(a) - np.floor(to(a) / to(b)) * to(b)
    return lambda a, b: to(to(a) % to(b)) if to(b) != 0 else to(0)


def _make_power(to, is_integer):
    if not is_integer:
        return lambda a, b: to(to(a) ** to(b))

    def power(a, b):
        base, exponent = to(a), to(b)
        if exponent < 0:
            if base == 1:
                return to(1)
            return to(1 - 2 * (exponent & 1)) if to(base + 1) == 0 else to(0)
        result = to(1)
        while exponent > 0:
            if exponent & 1:
                result = to(result * base)
            base = to(base * base)
            exponent = to(exponent >> 1)
        return result

    return power


def _make_min_or_max(name, to):
    """Minimum or maximum that propagates NaN, as cupy.minimum."""

    def select_smaller(a, b):
        x, y = to(a), to(b)
        return x if x < y or x != x else y

    def select_larger(a, b):
        x, y = to(a), to(b)
        return x if x > y or x != x else y

    return select_smaller if name == "min" else select_larger


def _find_common_type(a, b, mode):
    """The name of the common type of two types, given by name; bool for two bools."""
    if mode == "numpy":
        found = np.promote_types(a, b).name
    else:
        found = max(a, b, key=_ranks.index)
    return _promote_to_32_bits(found) if (a, b) != ("bool", "bool") else found


def _promote_to_32_bits(name):
    if name == "float16":
        return "float32"
    return "int32" if name in _ranks[: _ranks.index("int32")] else name


def _promote_integer(name):
    """Applies C's integer promotion to an operand, before the common type is determined."""
    return "int32" if name in _ranks[1:5] else name


def _find_shift_type(left, common):
    """The result type of a shift: signed if the left operand is, with the bits of the common type."""
    return common.lstrip("u") if not left.startswith("uint") else common


@functools.cache
def make_operation(name, left, right, mode):
    """Makes the function of an operation on two operands. left, right: "v", or the type code of a Python number."""

    def apply_operation(a, b):
        raise NotImplementedError("in kernels only")

    numbers = types_of_numbers[mode]

    def choose_implementation(a, b):
        first = numbers.get(left) or str(a)
        second = numbers.get(right) or str(b)
        if first not in _ranks or second not in _ranks:
            return _others[name]
        if mode == "cuda":
            first, second = _promote_integer(first), _promote_integer(second)
        common = _find_common_type(first, second, mode)
        is_bool = common == "bool"
        if name in _of_integers and common.startswith(("float", "complex")):
            return _others[name]  # raises an error
        if name in ("lshift", "rshift"):
            common = _find_shift_type(_promote_to_32_bits(first), _promote_to_32_bits(common))
        elif name == "truediv" and not common.startswith(("float", "complex")):
            common = "float64"
        elif name in ("floordiv", "mod", "pow"):
            common = _promote_to_32_bits(common)
        elif name == "sub" and is_bool:
            return None
        to = getattr(types, common if common != "bool" else "boolean")
        if name in ("floordiv", "mod"):
            return _make_floordiv_or_mod(name, to, common.startswith("float"))
        if name == "pow":
            return _make_power(to, "int" in common)
        if name in ("min", "max"):
            return _make_min_or_max(name, to)
        # For bools, + is | and * is &, as in CuPy.
        same = {"add": "or", "mul": "and"}.get(name, name) if is_bool else name
        return _operations[same](to, to)

    apply_operation.__name__ = apply_operation.__qualname__ = f"{name} of cupyx.jit"
    overload(apply_operation)(choose_implementation)
    return apply_operation


@functools.cache
def make_unary_operation(name):
    """Makes the function of an operation on one operand: "neg", "pos" or "invert"."""

    def apply_operation(a):
        raise NotImplementedError("in kernels only")

    def choose_implementation(a):
        if str(a) not in _ranks:
            return {"neg": lambda a: -a, "pos": lambda a: +a, "invert": lambda a: ~a}[name]
        to = getattr(types, _promote_to_32_bits(str(a)))
        if name == "neg":
            return lambda a: to(-to(a))
        return (lambda a: to(a)) if name == "pos" else (lambda a: to(~to(a)))

    overload(apply_operation)(choose_implementation)
    return apply_operation


def get_element_for_its_type(array):
    """A value of the element type of ``array``, used for its type."""
    raise NotImplementedError("in kernels only")


@overload(get_element_for_its_type)
def _choose_get_element_implementation(array):
    to = getattr(array, "dtype", None)
    if str(to) not in _ranks:
        return lambda array: array[0]
    return lambda array: to(1)  # a sample may be a divisor


def to_unsigned(index):
    """Converts a thread or block index to unsigned, as in CUDA."""
    raise NotImplementedError("in kernels only")


@overload(to_unsigned)
def _choose_to_unsigned_implementation(index):
    count = len(index.types) if isinstance(index, types.BaseTuple) else 0
    if count == 2:
        return lambda index: (np.uint32(index[0]), np.uint32(index[1]))
    if count == 3:
        return lambda index: (np.uint32(index[0]), np.uint32(index[1]), np.uint32(index[2]))
    return lambda index: np.uint32(index)


def convert_to_type_of(before, after):
    """Converts ``after`` to the type of ``before`` if both are numbers."""
    raise NotImplementedError("in kernels only")


@overload(convert_to_type_of)
def _choose_convert_to_type_of_implementation(before, after):
    is_real = all(str(t) in _ranks and not str(t).startswith("complex") for t in (before, after))
    if before == after or not is_real:
        return lambda before, after: after
    return lambda before, after: type(before)(after)
