"""Errors for arithmetic with device arrays, which have none."""

import numpy as np


def _refuse(symbol):
    def operator(self, other):
        if not isinstance(other, (int, float, complex, RefusedArithmetic)) or isinstance(
            other, np.generic
        ):
            return NotImplemented  # NumPy and other libraries may convert this array
        raise TypeError(
            f"device arrays have no arithmetic, here {symbol}\n"
            "  hint: write a kernel or a function with @vectorize, or copy the array with copy_to_host()"
        )

    return operator


class RefusedArithmetic:
    """Mixin whose arithmetic operators raise TypeError with the alternatives."""

    __add__ = __radd__ = _refuse("+")
    __sub__ = __rsub__ = _refuse("-")
    __mul__ = __rmul__ = _refuse("*")
    __truediv__ = __rtruediv__ = _refuse("/")
    __floordiv__ = __rfloordiv__ = _refuse("//")
    __mod__ = __rmod__ = _refuse("%")
    __pow__ = __rpow__ = _refuse("**")
    __matmul__ = _refuse("@")
    __lt__ = _refuse("<")
    __le__ = _refuse("<=")
    __gt__ = _refuse(">")
    __ge__ = _refuse(">=")
