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


# The functions -> the names by which the compiler asks for them of types that are not the program's own.
names_of_operators = {
    function: f"operator.{name}" for name, functions in _functions.items() for function in functions
}


def operator_of(object_type, name, target):
    """That it is a method, and the function that implements it; None where a program has implemented none.

    name: "__add__" for a program's own types, "operator.__add__" for the others.
    """
    if name.startswith("operator."):
        name = name.removeprefix("operator.")
    elif not is_own(object_type):
        return None
    for function in _functions.get(name, ()):
        known = _heddle.overloads.get(function)
        if known is not None and (
            name not in ("__bool__", "__len__")
            or known.choose([object_type], {}, target) is not None
        ):
            return True, function
    return None
