"""What ``import cupy`` gives under ``heddle run`` where CuPy is not installed, or the device is the CPU.

Kernels are heddle's. Arrays are NumPy's underneath on the CPU, so that every function of NumPy is there under its name
(``host_names``); on a GPU they are heddle's device arrays, with the basics (``device_names``).
"""

import functools
import importlib

import numpy as np

from heddle.compat.cupy import cuda
from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.cuda import is_available
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.memory import get_default_memory_pool, get_default_pinned_memory_pool
from heddle.compat.cupy.raw import RawKernel, RawModule
from heddle.compat.cupy.reduction import ReductionKernel
from heddle.missing_names import missing_name

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "cuda",
    "fuse",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "is_available",
    "memoize",
]

# The release of CuPy whose names these are.
CUPY_VERSION = "14.0.0"


def get_array_module(*args):
    """cupy itself when one of the values is its array, else NumPy."""
    import sys

    return sys.modules[__name__] if any(map(is_array, args)) else np


def memoize(for_each_device=False):
    """A decorator: the function runs once for each set of arguments, and each device if asked for."""

    def remember(function):
        known = {}

        @functools.wraps(function)
        def remembered(*args, **keywords):
            where = cuda.Device().id if for_each_device else None
            key = (where, args, frozenset(keywords.items()))
            if key not in known:
                known[key] = function(*args, **keywords)
            return known[key]

        return remembered

    return remember


def fuse(*args, **keywords):
    """A decorator for functions of arrays, which gives them back: each operation is a kernel of its own."""
    return args[0] if args and callable(args[0]) else fuse


def _names():
    """Arrays and functions for the current device."""
    from heddle.cuda.native_devices import current_native

    kind = "host" if current_native().uses_host_memory else "device"
    return importlib.import_module(f"heddle.compat.cupy.{kind}_names")


def __getattr__(name):
    if name == "__version__":
        import heddle

        return f"{CUPY_VERSION}+heddle.{heddle.__version__}"
    try:
        return getattr(_names(), name)
    except AttributeError as error:
        if "install CuPy" in str(error):
            raise
    raise missing_name("heddle.cupy", name)


def __dir__():
    return sorted({*globals(), *(name for name in dir(np) if not name.startswith("_"))})
