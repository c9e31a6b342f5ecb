"""cupy's array class and functions on the CPU device, whose memory the host can access; built on NumPy."""

import functools

import numpy as np

from heddle import _heddle
from heddle.compat.cupy import numpy_random as random
from heddle.compat.cupy.arrays import ndarray, wrap_numpy_array
from heddle.compat.cupy.host_access import get_native_array_stream
from heddle.compat.cupy.numpy_functions import (
    NumpyModule,
    array,
    asarray,
    asnumpy,
    wrap_numpy_attribute,
)

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asnumpy",
    "can_cast",
    "empty",
    "empty_like",
    "fft",
    "fromDlpack",
    "from_dlpack",
    "issubdtype",
    "lib",
    "linalg",
    "ndarray",
    "polynomial",
    "promote_types",
    "random",
    "shares_memory",
]

# CuPy names that NumPy 2 no longer has -> NumPy's name.
_earlier_names = {
    "Inf": "inf",
    "Infinity": "inf",
    "NAN": "nan",
    "NaN": "nan",
    "PINF": "inf",
    "alltrue": "all",
    "bool8": "bool_",
    "cfloat": "complex128",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "in1d": "isin",
    "infty": "inf",
    "product": "prod",
    "round_": "round",
    "row_stack": "vstack",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "trapz": "trapezoid",
}

asanyarray = asarray
linalg = NumpyModule(np.linalg, "cupy.linalg")
fft = NumpyModule(np.fft, "cupy.fft")
lib = NumpyModule(np.lib, "cupy.lib")
polynomial = NumpyModule(np.polynomial, "cupy.polynomial")


def from_dlpack(array, *, device=None, copy=None):
    """An array over the memory of another library's array; with ``copy=True``, over a copy of it."""
    if isinstance(array, _heddle.DeviceArrayBase):
        return asarray(array, copy=copy)
    shared = np.from_dlpack(array)
    return asarray(shared, copy=True) if copy else wrap_numpy_array(shared)


fromDlpack = from_dlpack


def _wrap_to_mark_undefined(function):
    """Wrap a function that allocates an array, so that `heddle check` knows that nothing has been stored in it."""

    @functools.wraps(function, updated=())
    def call_and_mark_undefined(*args, **keywords):
        array = function(*args, **keywords)
        if array.size:
            memory = array.owner
            _heddle.forget_values(get_native_array_stream(), memory.ptr, memory.size)
        return array

    return call_and_mark_undefined


empty = _wrap_to_mark_undefined(wrap_numpy_attribute("empty"))
empty_like = _wrap_to_mark_undefined(wrap_numpy_attribute("empty_like"))


def _wrap_to_accept_arrays(function):
    """Wrap a function of dtypes so that it also accepts an array instead of its dtype."""

    @functools.wraps(function)
    def call_with_dtypes(*kinds, **keywords):
        kinds = (kind.dtype if isinstance(kind, ndarray) else kind for kind in kinds)
        return function(*kinds, **keywords)

    return call_with_dtypes


can_cast = _wrap_to_accept_arrays(np.can_cast)
issubdtype = _wrap_to_accept_arrays(np.issubdtype)
promote_types = _wrap_to_accept_arrays(np.promote_types)


def shares_memory(a, b, max_work=None):
    """True if ``a`` and ``b`` share an element. max_work: "MAY_SHARE_BOUNDS" compares only the address ranges."""
    if max_work == "MAY_SHARE_BOUNDS":
        return np.may_share_memory(a, b)
    return np.shares_memory(a, b, None if max_work == "MAY_SHARE_EXACT" else max_work)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return wrap_numpy_attribute(_earlier_names.get(name, name))
