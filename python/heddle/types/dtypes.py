"""Converts NumPy dtypes to types, and back."""

import numpy as _np

from heddle import _heddle
from heddle._heddle import Type
from heddle.errors import UnsupportedDtype
from heddle.types import scalars

# dtype -> scalar type.
of_dtype = {_np.dtype(name): getattr(scalars, name) for name in scalars.type_names[:13]} | {
    _np.dtype(bool): scalars.boolean
}


class NestedArray:
    """The type of an array field of a record, for ``Record`` and ``as_dtype``: element type and shape."""

    def __init__(self, dtype, shape):
        self.dtype = dtype
        self.shape = tuple(shape)

    @property
    def ndim(self):
        return len(self.shape)

    def __eq__(self, other):
        return isinstance(other, NestedArray) and vars(other) == vars(self)

    def __hash__(self):
        return hash((self.dtype, self.shape))

    def __repr__(self):
        return f"nestedarray({self.dtype}, {self.shape})"


def from_dtype(dtype):
    """The type of values of a NumPy dtype. Raises UnsupportedDtype for a dtype that kernels do not support.

    >>> heddle.from_dtype(np.dtype("f4"))
    float32
    """
    dtype = as_dtype(dtype)
    try:
        return of_dtype.get(dtype) or _heddle.dtype_type(dtype)
    except TypeError as error:
        raise UnsupportedDtype(str(error)) from None


def as_dtype(type):
    """The NumPy dtype for an element type. Other objects are converted by NumPy.

    Raises UnsupportedDtype for a type without a dtype, such as ``void``.
    """
    if isinstance(type, NestedArray):
        return _np.dtype((as_dtype(type.dtype), type.shape))
    if not isinstance(type, Type):
        return _np.dtype(type)
    for dtype, scalar in of_dtype.items():
        if scalar == type:
            return dtype
    try:
        return _heddle.element_dtype(type)
    except TypeError as error:
        raise UnsupportedDtype(str(error)) from None
