"""Functions that Cython modules offer to C code, by their addresses."""

import ctypes
import importlib

from heddle.public_function import public

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@public
def get_cython_function_address(module_name, function_name):
    """The address of a function of a Cython module, an int.

    ``ctypes.CFUNCTYPE(double, double)(address)`` is a function that jitted functions call.
    module_name: of the module, such as "scipy.special.cython_special". function_name: as in the module's
        ``__pyx_capi__``, which has the functions that it declares in a .pxd file.
    Raises ValueError where the module has no such function. Same as numba.extending.get_cython_function_address.
    """
    module = importlib.import_module(module_name)  # late: the program names it
    functions = getattr(module, "__pyx_capi__", {})
    if function_name not in functions:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'")
    capsule = functions[function_name]
    return _pointer_of(capsule, _name_of(capsule))
