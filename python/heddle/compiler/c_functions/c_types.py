"""Converts between ctypes types and types of compiled functions."""

import ctypes

from heddle import types

_from_ctypes = {
    ctypes.c_bool: types.boolean,
    ctypes.c_int8: types.int8,
    ctypes.c_int16: types.int16,
    ctypes.c_int32: types.int32,
    ctypes.c_int64: types.int64,
    ctypes.c_uint8: types.uint8,
    ctypes.c_uint16: types.uint16,
    ctypes.c_uint32: types.uint32,
    ctypes.c_uint64: types.uint64,
    ctypes.c_float: types.float32,
    ctypes.c_double: types.float64,
    ctypes.c_void_p: types.voidptr,
}
_to_ctypes = {type: c_type for c_type, type in _from_ctypes.items()}


def from_ctypes(c_type):
    """Converts a ctypes type; None is void. Raises TypeError if there is no such type."""
    if c_type is None:
        return types.void
    if isinstance(c_type, type) and issubclass(c_type, ctypes._Pointer):
        return types.CPointer(from_ctypes(c_type._type_))
    if c_type not in _from_ctypes:
        raise TypeError(f"Unsupported ctypes type: {c_type}")
    return _from_ctypes[c_type]


def to_ctypes(type):
    """Converts to a ctypes type; void is None. Raises TypeError if ctypes has none."""
    if type == types.void:
        return None
    if type in _to_ctypes:
        return _to_ctypes[type]
    if isinstance(type, types.CPointer):
        return ctypes.POINTER(to_ctypes(type.dtype))
    raise TypeError(
        f"Cannot convert Numba type '{type}' to ctypes type\n"
        "  hint: C can call .address with any type"
    )
