"""cupy's arrays and functions where the current device reaches the host's memory: NumPy's."""

import numpy as np

from heddle.compat.cupy import numpy_random as random
from heddle.compat.cupy.arrays import ndarray
from heddle.compat.cupy.numpy_functions import NumpyModule, array, asarray, asnumpy, from_numpy

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asnumpy",
    "fft",
    "fromDlpack",
    "from_dlpack",
    "issubdtype",
    "lib",
    "linalg",
    "ndarray",
    "random",
    "shares_memory",
]

# Names of CuPy's that NumPy 2 has no more.
_earlier_names = {
    "complex_": "complex128",
    "float_": "float64",
    "in1d": "isin",
    "row_stack": "vstack",
    "trapz": "trapezoid",
}

asanyarray = asarray
linalg = NumpyModule(np.linalg, "cupy.linalg")
fft = NumpyModule(np.fft, "cupy.fft")
lib = NumpyModule(np.lib, "cupy.lib")


def from_dlpack(array, *, device=None, copy=None):
    """An array over the memory of another library's array; over memory of its own with ``copy=True``."""
    shared = np.from_dlpack(array)
    return asarray(shared, copy=True) if copy else shared.view(ndarray)


fromDlpack = from_dlpack


def issubdtype(arg1, arg2):
    """As NumPy's; an array stands for its dtype."""
    return np.issubdtype(arg1.dtype if isinstance(arg1, ndarray) else arg1, arg2)


def shares_memory(a, b, max_work=None):
    """Whether an element of ``a`` is one of ``b``, too. max_work: "MAY_SHARE_BOUNDS" asks for ranges of bytes only."""
    if max_work == "MAY_SHARE_BOUNDS":
        return np.may_share_memory(a, b)
    return np.shares_memory(a, b, None if max_work == "MAY_SHARE_EXACT" else max_work)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return from_numpy(_earlier_names.get(name, name))
