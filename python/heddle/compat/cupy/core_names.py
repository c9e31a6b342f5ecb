"""cupy._core and its submodules: the kernel classes and the array class."""

import sys

import heddle.compat.cupy.core_internals as core_internals
import heddle.compat.cupy.libraries.accelerators as _accelerator
from heddle.compat import cupy
from heddle.compat.cupy.compiled.created_ufuncs import create_ufunc
from heddle.compat.cupy.compiled.functions import compile_with_cache
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.libraries.accelerators import *  # noqa: F403
from heddle.compat.cupy.raw import RawKernel, RawModule
from heddle.compat.cupy.reduction import ReductionKernel
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "compile_with_cache",
    "core",
    "create_ufunc",
    "elementwise_copy",
    "internal",
    "raw",
    *_accelerator.__all__,
]

core = raw = _kernel = _reduction = sys.modules[__name__]
internal = _scalar = core_internals


def elementwise_copy(a, out):
    """Copy ``a``, broadcast and converted, into the array ``out``. Returns ``out``."""
    out[...] = a
    return out


def _get_warpsize():
    return Device().attributes["WarpSize"]


# These names depend on the current device.
_of_cupy = ("array", "ascontiguousarray", "ndarray")


def __getattr__(name):
    if name in _of_cupy:
        return getattr(cupy, name)
    raise make_missing_name_error("heddle.cupy._core", name)
