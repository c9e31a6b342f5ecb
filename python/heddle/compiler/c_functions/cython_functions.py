"""The addresses of functions that Cython modules export to C."""

import ctypes
import importlib

from heddle.support.public_function import public

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@public
def get_cython_function_address(module_name, function_name):
    """The address of a function of a Cython module, an int.

    Jitted functions can call ``ctypes.CFUNCTYPE(double, double)(address)``.
    module_name: such as "scipy.special.cython_special". function_name: a key of the module's ``__pyx_capi__``, which
        has the functions declared in its .pxd file.
    Raises ValueError if there is no such function. Same as numba.extending.get_cython_function_address.
    """
    module = importlib.import_module(module_name)  # late: the program names it
    functions = getattr(module, "__pyx_capi__", {})
    if function_name not in functions:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'")
    capsule = functions[function_name]
    return _pointer_of(capsule, _name_of(capsule))
