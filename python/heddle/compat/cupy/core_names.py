"""cupy._core and the modules below it: kernels, and the class of arrays."""

import sys

from heddle.compat import cupy
from heddle.compat.cupy.compiled.created_ufuncs import create_ufunc
from heddle.compat.cupy.compiled.functions import compile_with_cache
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.raw import RawKernel, RawModule
from heddle.compat.cupy.reduction import ReductionKernel
from heddle.missing_names import missing_name

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "compile_with_cache",
    "core",
    "create_ufunc",
    "raw",
]

core = raw = _kernel = _reduction = sys.modules[__name__]

# The current device's; the others are CuPy's own.
_of_cupy = ("array", "ascontiguousarray", "ndarray")


def __getattr__(name):
    if name in _of_cupy:
        return getattr(cupy, name)
    raise missing_name("heddle.cupy._core", name)
