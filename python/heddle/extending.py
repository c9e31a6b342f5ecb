"""numba.extending: the library of kernels and host functions, extended by programs.

    @overload(clamp)                        clamp is any function
    def clamp_in_kernels(x, low, high): ... returns an implementation in Python for these argument types

The package ``heddle.extension`` has the implementation of these names.

>>> from heddle.extending import overload, register_jitable
"""

import importlib

from heddle.codegen.intrinsics import intrinsic
from heddle.compiler.c_functions.cython_functions import get_cython_function_address
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.extension.overloads import (
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "get_cython_function_address",
    "intrinsic",
    "is_jitted",
    "overload",
    "overload_attribute",
    "overload_classmethod",
    "overload_method",
    "register_jitable",
]


def is_jitted(function):
    """True if ``function`` was made by cuda.jit or njit."""
    return isinstance(function, (Dispatcher, HostDispatcher))


# Names of numba.extending for user-defined types and functions -> the modules that implement them.
_extension_modules = {
    "NativeValue": "boxing",
    "as_numba_type": "naming",
    "box": "boxing",
    "infer": "typing",
    "infer_getattr": "typing",
    "infer_global": "typing",
    "lower": "lowering",
    "lower_builtin": "lowering",
    "lower_cast": "lowering",
    "lower_getattr": "lowering",
    "lower_getattr_generic": "lowering",
    "lower_setattr": "lowering",
    "lower_setattr_generic": "lowering",
    "make_attribute_wrapper": "models",
    "register_default": "models",
    "register_model": "models",
    "type_callable": "typing",
    "typeof_impl": "naming",
    "unbox": "boxing",
}
_loaded_late = ["models", *_extension_modules]
__all__ += _loaded_late


def __getattr__(name):
    if name in ("models", "core_models"):
        return importlib.import_module("heddle.extension.models")  # late: few programs need it
    if name in _extension_modules:
        module = f"heddle.extension.{_extension_modules[name]}"
        return getattr(importlib.import_module(module), name)  # late: few programs need it
    raise _missing_name("heddle.extending", name)
