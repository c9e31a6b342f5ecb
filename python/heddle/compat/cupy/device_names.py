"""cupy's array class and functions on a GPU where CuPy is not installed, built on Heddle's device arrays."""

import types

import numpy as np

from heddle.compat.cupy import numpy_random
from heddle.compat.cupy.device_arrays import ADVICE, DeviceArray
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.layout import is_contiguous_in_order

ndarray = DeviceArray


def _wrap_creation(function):
    """Wrap a NumPy function that creates an array, to copy its result to the device."""

    def make_on_device(*args, **keywords):
        args = [_to_host_copy(value) for value in args]
        keywords = {name: _to_host_copy(value) for name, value in keywords.items()}
        return DeviceArray.from_values(function(*args, **keywords))

    make_on_device.__name__ = function.__name__
    return make_on_device


def _to_host_copy(value):
    return value.copy_to_host() if isinstance(value, DeviceNDArray) else value


arange, eye, full, identity, linspace, logspace, ones, tri, zeros = map(
    _wrap_creation,
    (np.arange, np.eye, np.full, np.identity, np.linspace, np.logspace, np.ones, np.tri, np.zeros),
)


class _Random(types.ModuleType):
    """numpy.random with device arrays as results."""

    def __getattr__(self, name):
        if name in ("shuffle", "default_rng", "RandomState", "Generator", "get_random_state"):
            raise AttributeError(f"random.{name}: {ADVICE}", name=name)
        draw = numpy_random.find_numpy_function(name)
        return draw if name == "seed" else _wrap_creation(draw)


random = _Random("cupy.random")


def empty(shape, dtype=float, order="C"):
    return DeviceArray(shape, dtype, order=order)


def empty_like(a, dtype=None, order="K"):
    return DeviceArray.make_like(a, dtype, order)


def zeros_like(a, dtype=None, order="K"):
    return full_like(a, 0, dtype, order)


def ones_like(a, dtype=None, order="K"):
    return full_like(a, 1, dtype, order)


def full_like(a, fill_value, dtype=None, order="K"):
    result = empty_like(a, dtype, order)
    result.fill(fill_value)
    return result


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """An array with the values of ``obj``; with ``copy=False``, ``obj`` itself if it is a suitable array already."""
    result = asarray(obj, dtype, order, copy=copy)
    return result.reshape((1,) * max(ndmin - result.ndim, 0) + result.shape)


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """``a`` as an array; ``a`` itself if it is a suitable array already."""
    order = order or "K"
    if (
        isinstance(a, DeviceArray)
        and (dtype is None or dtype == a.dtype)
        and not copy
        and is_contiguous_in_order(a, order)
    ):
        return a
    return DeviceArray.from_values(a, dtype, order)


asanyarray = asarray


def from_dlpack(array, *, device=None, copy=None):
    """A copy of another library's array."""
    return DeviceArray.from_values(array)


fromDlpack = from_dlpack


def ascontiguousarray(a, dtype=None):
    return asarray(a, dtype, "C")


def asfortranarray(a, dtype=None):
    return asarray(a, dtype, "F")


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the values of an array or of anything that NumPy converts to one."""
    if isinstance(a, DeviceNDArray):
        return DeviceArray.get(a, stream, order, out)
    if out is not None:
        np.copyto(out, np.asarray(a))
        return out
    return np.asarray(a, order=order)


def __getattr__(name):
    found = None if name.startswith("_") else getattr(np, name, None)
    if found is None:
        raise AttributeError(name)
    if callable(found) and not isinstance(found, type):
        raise AttributeError(f"{name}: {ADVICE}", name=name)
    return found  # a dtype or a constant
