"""NumPy arrays over the memory at a ctypes pointer."""

import ctypes

import numpy as np

from heddle.compiler.c_functions.c_types import from_ctypes
from heddle.types import as_dtype


def make_array_at(pointer, shape, dtype, order):
    """The array of this shape, order and dtype at a pointer. It does not keep the memory alive.

    dtype: may be None for a typed pointer. Raises TypeError for other objects, for a void pointer without a dtype, and
    for a dtype that differs from the pointer's; ValueError for a null pointer.
    """
    pointer = getattr(pointer, "_as_parameter_", pointer)
    dtype = None if dtype is None else np.dtype(dtype)
    if isinstance(pointer, ctypes._Pointer):
        pointee = as_dtype(from_ctypes(type(pointer)._type_))
        if dtype is not None and dtype != pointee:
            raise TypeError(f"mismatching dtype '{dtype}' for pointer {pointer}")
        dtype = pointee
    elif not isinstance(pointer, ctypes.c_void_p):
        raise TypeError(f"expected a ctypes pointer, got {pointer!r}")
    elif dtype is None:
        raise TypeError("explicit dtype required for void* argument")
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    if address is None:
        raise ValueError("there is no array at a null pointer")
    count = int(np.prod(shape, dtype=np.intp))
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.ndarray(shape, dtype, memory, order=order)
