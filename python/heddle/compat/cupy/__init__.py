"""The module that ``import cupy`` returns under ``heddle run`` if CuPy is not installed or the device is the CPU.

cuda                      cupy.cuda: devices, streams, memory, runtime, driver, compiler, profiler, nvtx
memory                    the allocator of arrays; device_memory, pools, pinned_memory
raw                       RawKernel and RawModule: subclasses of Heddle's classes
elementwise, reduction    kernels made of C++ expressions (kernel_parameters, array_programs, elementwise_programs)
host_names                the names on the CPU: arrays and functions built on NumPy (arrays, numpy_functions,
                          numpy_random)
device_names              the names on a GPU: Heddle's device arrays with basic operations (device_arrays)
"""

import importlib
import sys

import numpy as np

from heddle import _heddle
from heddle.compat.cupy import cuda, device_names, exceptions, host_names
from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.compiled import memo as util
from heddle.compat.cupy.compiled.memo import clear_memo, memoize
from heddle.compat.cupy.compiled.struct_types import make_aligned_dtype
from heddle.compat.cupy.cuda import is_available
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.memory import get_default_memory_pool
from heddle.compat.cupy.pinned_memory import get_default_pinned_memory_pool
from heddle.compat.cupy.raw import RawKernel, RawModule
from heddle.compat.cupy.reduction import ReductionKernel
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.native_devices import current_native
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "clear_memo",
    "cuda",
    "exceptions",
    "fuse",
    "get_array_module",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "is_available",
    "make_aligned_dtype",
    "memoize",
    "show_config",
    "util",
]

# The CuPy release whose names these are.
CUPY_VERSION = "14.0.0"

AxisError = exceptions.AxisError

# Old programs use these names.
_default_memory_pool = get_default_memory_pool()
_default_pinned_memory_pool = get_default_pinned_memory_pool()


def get_array_module(*args):
    """This module if one of ``args`` is a CuPy array, else numpy."""
    return sys.modules[__name__] if any(map(is_device_array, args)) else np


def fuse(*args, **keywords):
    """Decorator for functions of arrays. It returns the function unchanged: every operation launches its own kernel."""
    return args[0] if args and callable(args[0]) else fuse


def show_config(*, _full=False):
    """Print the versions and the name of the current device."""
    device = cuda.Device()
    print(f"{'CuPy Version':<28}: {__getattr__('__version__')} (heddle's stand-in)")
    print(f"{'NumPy Version':<28}: {np.__version__}")
    print(f"{'CUDA Root':<28}: {cuda.get_cuda_path()}")
    print(f"{'CUDA Runtime Version':<28}: {cuda.runtime.runtimeGetVersion()}")
    print(f"{'Device 0 Name':<28}: {device.name}")


def _select_names_module():
    """The module with the array class and the functions for the current device."""
    return host_names if current_native().uses_host_memory else device_names


# Modules that importing CuPy also loads.
_modules = {
    "testing": "testing",
    "typing": "typing",
    "_core": "core_names",
    "_util": "compiled.memo",
}


def __getattr__(name):
    if name == "__version__":
        return f"{CUPY_VERSION}+heddle.{_heddle.__version__}"
    if name in _modules:
        return importlib.import_module(f"heddle.compat.cupy.{_modules[name]}")  # late: few use them
    try:
        return getattr(_select_names_module(), name)
    except AttributeError as error:
        if "install CuPy" in str(error):
            raise
    raise make_missing_name_error("heddle.cupy", name)


def __dir__():
    return sorted({*globals(), *(name for name in dir(np) if not name.startswith("_"))})
