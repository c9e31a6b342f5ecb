"""Operators on values of user-defined types: calls of user implementations of functions in ``operator`` and
builtins."""

import operator

from heddle import _heddle
from heddle.types.own_types import is_user_defined

# The special name that the compiler looks up -> the functions that a program may have implemented for it.
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


# Function -> the name that the compiler looks up for types that are not user-defined.
names_of_operators = {
    function: f"operator.{name}" for name, functions in _functions.items() for function in functions
}


def find_operator_overload(object_type, name, target):
    """Returns (True, the function that implements the method); None if the program has implemented none.

    name: "__add__" for user-defined types, "operator.__add__" for others.
    """
    if name.startswith("operator."):
        name = name.removeprefix("operator.")
    elif not is_user_defined(object_type):
        return None
    for function in _functions.get(name, ()):
        known = _heddle.overloads.get(function)
        if known is not None and (
            name not in ("__bool__", "__len__")
            or known.choose_implementation([object_type], {}, target) is not None
        ):
            return True, function
    return None
