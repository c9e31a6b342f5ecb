"""What ``import cupy`` gives under ``heddle run`` where CuPy is not installed, or the device is the CPU.

Arrays are NumPy's underneath, so that every function of NumPy is here under its name; kernels are heddle's.
"""

import functools

import numpy as np

from heddle.compat.cupy import cuda, random
from heddle.compat.cupy.arrays import ndarray
from heddle.compat.cupy.cuda import is_available
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupy.memory import get_default_memory_pool, get_default_pinned_memory_pool
from heddle.compat.cupy.numpy_functions import NumpyModule, array, asarray, asnumpy, from_numpy
from heddle.compat.cupy.raw import RawKernel, RawModule
from heddle.compat.cupy.reduction import ReductionKernel
from heddle.missing_names import missing_name

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "array",
    "asanyarray",
    "asarray",
    "asnumpy",
    "cuda",
    "fft",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "is_available",
    "linalg",
    "memoize",
    "ndarray",
    "random",
]

# The release of CuPy whose names these are.
CUPY_VERSION = "14.0.0"

asanyarray = asarray
linalg = NumpyModule(np.linalg, "cupy.linalg")
fft = NumpyModule(np.fft, "cupy.fft")


def get_array_module(*args):
    """cupy itself when one of the values is its array, else NumPy."""
    import sys

    return sys.modules[__name__] if any(isinstance(a, ndarray) for a in args) else np


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


def __getattr__(name):
    if name == "__version__":
        import heddle

        return f"{CUPY_VERSION}+heddle.{heddle.__version__}"
    if not name.startswith("_") and name not in ("fuse", "jit") and hasattr(np, name):
        return from_numpy(name)
    raise missing_name("heddle.cupy", name)


def __dir__():
    return sorted({*globals(), *(name for name in dir(np) if not name.startswith("_"))})
