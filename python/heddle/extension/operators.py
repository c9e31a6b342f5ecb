"""Operators on values of a program's own types: calls of what it has implemented of ``operator`` and builtins."""

import operator

from heddle import _heddle
from heddle.types.own_types import is_own

# What the compiler calls by a name with two underscores -> the functions that a program may have implemented for it.
_functions = {
    f"__{name}__": (getattr(operator, f"__{name}__"),)
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "lshift",
        "rshift",
        "and",
        "or",
        "xor",
        "matmul",
        "iadd",
        "isub",
        "imul",
        "itruediv",
        "ifloordiv",
        "imod",
        "ipow",
        "ilshift",
        "irshift",
        "iand",
        "ior",
        "ixor",
        "imatmul",
        "pos",
        "neg",
        "invert",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "contains",
        "getitem",
        "setitem",
        "delitem",
    ]
}
_functions["__pow__"] += (pow,)
_functions["__bool__"] = (bool, operator.truth)
_functions["__len__"] = (len,)


def operator_of(object_type, name, target):
    """That it is a method, and the function that implements it; None where a program has implemented none."""
    if not is_own(object_type):
        return None
    for function in _functions.get(name, ()):
        if function in _heddle.overloads:
            return True, function
    return None
