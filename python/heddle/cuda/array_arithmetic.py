"""Errors for arithmetic with device arrays, which have none."""

import numpy as np


def _make_refusing_operator(symbol):
    def refuse_arithmetic(self, other):
        if not isinstance(other, (int, float, complex, RefusedArithmetic)) or isinstance(
            other, np.generic
        ):
            return NotImplemented  # NumPy and other libraries may convert this array
        raise TypeError(
            f"device arrays have no arithmetic, here {symbol}\n"
            "  hint: write a kernel or a function with @vectorize, or copy the array with copy_to_host()"
        )

    return refuse_arithmetic


class RefusedArithmetic:
    """Mixin whose arithmetic operators raise TypeError with the alternatives."""

    __add__ = __radd__ = _make_refusing_operator("+")
    __sub__ = __rsub__ = _make_refusing_operator("-")
    __mul__ = __rmul__ = _make_refusing_operator("*")
    __truediv__ = __rtruediv__ = _make_refusing_operator("/")
    __floordiv__ = __rfloordiv__ = _make_refusing_operator("//")
    __mod__ = __rmod__ = _make_refusing_operator("%")
    __pow__ = __rpow__ = _make_refusing_operator("**")
    __matmul__ = _make_refusing_operator("@")
    __lt__ = _make_refusing_operator("<")
    __le__ = _make_refusing_operator("<=")
    __gt__ = _make_refusing_operator(">")
    __ge__ = _make_refusing_operator(">=")
