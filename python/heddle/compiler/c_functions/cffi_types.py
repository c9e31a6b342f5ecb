"""Types and functions of cffi, which need not be installed."""

import sys

import numpy as np

from heddle import types

# cffi type -> the type that the user registered.
_registered = {}
# Functions of compiled cffi modules, which do not carry their types -> (cffi type, address).
_of_modules = {}
_floats = {"float": types.float32, "double": types.float64}
_integers = {size: (f"int{8 * size}", f"uint{8 * size}") for size in (1, 2, 4, 8)}


def register_module(module):
    """Makes the functions of ``module.lib``, which cffi compiled, callable from compiled functions."""
    for name in dir(module.lib):
        function = getattr(module.lib, name)
        if type(function) is type(len):  # others are variables and constants
            address = module.ffi.cast("uintptr_t", module.ffi.addressof(module.lib, name))
            _of_modules[function] = module.ffi.typeof(function), int(address)


def register_type(cffi_type, numba_type):
    """Registers the type for values of ``cffi_type``, such as a struct."""
    _registered[cffi_type] = numba_type


def map_type(cffi_type, use_record_dtype=False):
    """The type for a result of ``ffi.typeof``, or the Signature if it is a function type.

    use_record_dtype: maps structs to records. Raises TypeError if compiled functions have no such type.
    """
    if cffi_type in _registered:
        return _registered[cffi_type]
    kind = cffi_type.kind
    if kind == "function":
        if cffi_type.ellipsis:
            raise TypeError("vararg function is not supported")
        signature = (cffi_type.result, *cffi_type.args)
        return types.signature(*(map_type(part, use_record_dtype) for part in signature))
    if kind == "pointer":
        if cffi_type.item.kind == "void":
            return types.voidptr
        return types.CPointer(map_type(cffi_type.item, use_record_dtype))
    if kind == "void":
        return types.void
    if kind == "primitive" and (found := _find_number_type(cffi_type)) is not None:
        return found
    if kind == "struct" and use_record_dtype:
        return types.from_dtype(_make_struct_dtype(cffi_type))
    raise TypeError(f"compiled functions have no type for {cffi_type}")


def _find_number_type(cffi_type):
    """The type of a primitive cffi type; None if there is none."""
    backend = sys.modules["_cffi_backend"]
    name = cffi_type.cname
    if name in ("bool", "_Bool"):
        return types.boolean
    if name == "char":
        return types.int8
    if (
        name in _floats
        or "double" in name
        or "omplex" in name
        or name.startswith(("wchar", "char"))
    ):
        return _floats.get(name)
    signed, unsigned = _integers[backend.sizeof(cffi_type)]
    return getattr(types, signed if int(backend.cast(cffi_type, -1)) < 0 else unsigned)


def _make_struct_dtype(cffi_type):
    """The NumPy dtype of a struct or of a struct's field."""
    if cffi_type.kind == "array":
        return np.dtype((_make_struct_dtype(cffi_type.item), (cffi_type.length,)))
    if cffi_type.kind != "struct":
        return types.as_dtype(map_type(cffi_type))
    names, fields = zip(*cffi_type.fields, strict=True)
    if any(field.bitsize != -1 for field in fields):
        raise TypeError(f"{cffi_type} has bit-fields")
    formats = [_make_struct_dtype(field.type) for field in fields]
    layout = {
        "names": names,
        "formats": formats,
        "offsets": [field.offset for field in fields],
        "itemsize": sys.modules["_cffi_backend"].sizeof(cffi_type),
    }
    aligned = all(f.offset % d.alignment == 0 for f, d in zip(fields, formats, strict=True))
    return np.dtype(layout, align=aligned)


def describe_cffi_function(function):
    """Name, signature and address of a cffi function. Raises TypeError if compiled functions cannot call it."""
    backend = sys.modules["_cffi_backend"]
    if type(function) is type(len):
        if function not in _of_modules:
            raise TypeError("its module is not registered")
        cffi_type, address = _of_modules[function]
        return function.__name__, map_type(cffi_type), address
    cffi_type = backend.typeof(function)
    if cffi_type.kind != "function":
        raise TypeError(f"it is a {cffi_type}")
    address = backend.cast(backend.new_primitive_type("uintptr_t"), function)
    return "cdata", map_type(cffi_type), int(address)
