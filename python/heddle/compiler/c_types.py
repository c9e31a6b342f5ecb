"""Types of C as ctypes and cffi have them, and the types of compiled functions that they are."""

import ctypes

from heddle import types

_of_ctypes = {
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
_to_ctypes = {type: c_type for c_type, type in _of_ctypes.items()}


def from_ctypes(c_type):
    """The type of ctypes' ``c_type``; void of None. Raises TypeError where there is none."""
    if c_type is None:
        return types.void
    if isinstance(c_type, type) and issubclass(c_type, ctypes._Pointer):
        return types.CPointer(from_ctypes(c_type._type_))
    if c_type not in _of_ctypes:
        raise TypeError(f"Unsupported ctypes type: {c_type}")
    return _of_ctypes[c_type]


def to_ctypes(type):
    """The type of ctypes that ``type`` is; None of void. Raises TypeError where there is none."""
    if type == types.void:
        return None
    if type in _to_ctypes:
        return _to_ctypes[type]
    if isinstance(type, types.CPointer):
        return ctypes.POINTER(to_ctypes(type.dtype))
    raise TypeError(
        f"Cannot convert Numba type '{type}' to ctypes type\n"
        "  hint: .address is what C calls, of any type"
    )
