"""numba.np.numpy_support: types of NumPy dtypes and arrays, and arrays over pointers."""

import numpy as np

from heddle.compiler.intrinsics import find_intrinsic
from heddle.errors import TypingError
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import Array, Record, as_dtype, from_dtype
from heddle.types.dtypes import of_dtype as FROM_DTYPE

__all__ = [
    "FROM_DTYPE",
    "TypingError",
    "as_dtype",
    "as_struct_dtype",
    "carray",
    "farray",
    "from_dtype",
    "from_struct_dtype",
    "is_array",
    "is_contiguous",
    "is_fortran",
    "map_arrayscalar_type",
    "map_layout",
    "numpy_version",
    "strides_from_shape",
]

carray, farray = find_intrinsic("heddle.carray"), find_intrinsic("heddle.farray")
numpy_version = tuple(int(part) for part in np.__version__.split(".")[:2])


def is_array(val):
    """True if ``val`` is a NumPy array."""
    return isinstance(val, np.ndarray)


def is_contiguous(ary):
    """True if an array is contiguous in C order."""
    return bool(ary.flags["C_CONTIGUOUS"])


def is_fortran(ary):
    """True if an array is contiguous in F order."""
    return bool(ary.flags["F_CONTIGUOUS"])


def map_layout(val):
    """The layout of an array in its type: "C", "F" or "A"."""
    return "C" if is_contiguous(val) else "F" if is_fortran(val) else "A"


def map_arrayscalar_type(val):
    """The type of a NumPy scalar. Raises NumbaNotImplementedError if kernels do not support it."""
    return from_dtype(val.dtype if isinstance(val, np.generic) else np.dtype(type(val)))


def from_struct_dtype(dtype):
    """The record type of a structured dtype. Raises TypeError for other dtypes."""
    if np.dtype(dtype).names is None:
        raise TypeError(f"{dtype!r} is not a structured dtype")
    return from_dtype(dtype)


def as_struct_dtype(rec):
    """The structured dtype of a record type. Raises TypeError for other types."""
    if not isinstance(rec, Record):
        raise TypeError(f"{rec} is not a record")
    return as_dtype(rec)


def strides_from_shape(shape, itemsize, *, order):
    """The strides of a contiguous array. order: "C" or "F"."""
    strides = np.empty(shape, np.dtype(("V", 1)), order=order).strides
    return tuple(stride * itemsize for stride in strides)


def type_is_scalar(typ):
    """True if the type is not an array type."""
    return not isinstance(typ, Array)


def __getattr__(name):
    raise _missing_name("heddle.np.numpy_support", name)
