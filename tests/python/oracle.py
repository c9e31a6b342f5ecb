"""Expected results of kernel arithmetic: Python integers and NumPy floats under numba's typing rules.

Types are names ("int8", "bool", "float32"). The promotion table is numba's own, so nothing here depends on heddle.
"""

import csv
import math
import operator
from pathlib import Path

import numpy as np

signed = ("int8", "int16", "int32", "int64")
unsigned = ("uint8", "uint16", "uint32", "uint64")
integral = ("bool", *signed, *unsigned)
floating = ("float32", "float64")
scalars = (*integral, *floating)

comparisons = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
comparisons |= {"eq": operator.eq, "ne": operator.ne}

# Operators that the table leaves out are typed as these.
_typed_as = {"sub": "add", "mul": "add", "or_": "and_", "xor": "and_"}


def read_table():
    """The rows of numba's promotion table: (operator, left, right or "", result or "ERR")."""
    with open(Path(__file__).with_name("promotion_numba.csv"), newline="") as file:
        return [(row["op"], row["a"], row["b"], row["result"]) for row in csv.DictReader(file)]


_results = {(op, a, b): result for op, a, b, result in read_table()}


def result_type(op, a, b=""):
    """The type of ``a op b``; None if numba has no such operation."""
    if op in comparisons:
        return "bool"
    result = _results[_typed_as.get(op, op), a, b]
    return None if result == "ERR" else result


def divmod_type(a, b):
    """The type of both results of ``divmod(a, b)``, whose signatures have two numbers of the same type."""
    quotient = result_type("floordiv", a, b)
    if "uint64" not in (a, b) or quotient != "int64":
        return quotient
    return "uint64" if "bool" in (a, b) else "float64"


def dtype(name):
    return np.dtype(name)


def edge_values(name):
    """An array of values of a type that often cause bugs."""
    if name == "bool":
        return np.array([False, True])
    if name in floating:
        info = np.finfo(name)
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, np.inf, -np.inf, np.nan]
        return np.array([*values, info.max, info.min, info.tiny], name)
    info = np.iinfo(name)
    values = {0, 1, 2, 3, 7, 63, 64, 100, info.max, info.max - 1, info.min, info.min + 1}
    values |= {-1, -2, -3, -7, -64}
    return np.array(sorted(v for v in values if info.min <= v <= info.max), name)


def wrap(value, name):
    """An integer of any size, wrapped to the type."""
    if name == "bool":
        return bool(value)
    info = np.iinfo(name)
    return (int(value) - info.min) % 2**info.bits + info.min


def evaluate(op, a, a_type, b, b_type):
    """``a op b`` for two NumPy scalars, as a value of ``result_type(op, a_type, b_type)``."""
    with np.errstate(all="ignore"):
        if op in comparisons:
            return _compare(comparisons[op], a, a_type, b, b_type)
        result = result_type(op, a_type, b_type)
        if result in floating:
            # A whole exponent is not rounded to the base's type.
            exact = op == "pow" and a_type in floating and b_type in integral
            right = int(b) if exact else _as_float(b, result)
            return _float_arithmetic(op, _as_float(a, result), right)
        shift = op in ("lshift", "rshift")
        b = int(b) if shift else wrap(b, result)
        return wrap(_integer_arithmetic[op](wrap(a, result), b, result), result)


def _as_float(value, name):
    return np.dtype(name).type(value if isinstance(value, np.floating) else int(value))


def _compare(compare, a, a_type, b, b_type):
    if a_type in integral and b_type in integral:
        return compare(int(a), int(b))
    common = result_type("add", a_type, b_type)
    return bool(compare(_as_float(a, common), _as_float(b, common)))


def _float_arithmetic(op, a, b):
    functions = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide}
    functions |= {"floordiv": np.floor_divide, "mod": np.mod, "pow": _float_power}
    return functions[op](a, b)


def _float_power(a, b):
    """C's pow; NumPy's takes a square root for 0.5, which differs for -inf. An integer exponent is exact: its lowest
    bit determines the sign."""
    if isinstance(b, int):
        size = _float_power(abs(a), float(b))
        return np.copysign(size, a) if b % 2 else size
    try:
        return type(a)(math.pow(a, b))
    except OverflowError:
        return type(a)(-np.inf if a < 0 and b % 2 == 1 else np.inf)
    except ValueError:
        zero = a == 0
        return type(a)(
            math.copysign(np.inf, a) if zero and b % 2 == 1 else np.inf if zero else np.nan
        )


def _power(a, b, result):
    """A negative exponent gives 1/a**-b truncated; for a == 0 the result is the lowest number."""
    if b >= 0:
        return pow(a, b, 2**64)
    if a == 0:
        return np.iinfo(result).min
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


def _shift_left(a, b, result):
    return a << b if 0 <= b < 64 else 0


def _shift_right(a, b, result):
    return a >> b if 0 <= b < 64 else -(a < 0)


_integer_arithmetic = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "floordiv": lambda a, b, _: a // b if b and (a, b) != (-(2**63), -1) else 0,
    "mod": lambda a, b, _: a % b if b else 0,
    "and_": lambda a, b, _: a & b,
    "or_": lambda a, b, _: a | b,
    "xor": lambda a, b, _: a ^ b,
    "pow": _power,
    "lshift": _shift_left,
    "rshift": _shift_right,
}
