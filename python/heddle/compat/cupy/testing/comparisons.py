"""Array comparisons with the arguments of their namesakes in numpy.testing, and arrays to compare."""

import functools
import sys

import numpy as np

from heddle.compat.cupy.arrays import to_host_copy
from heddle.cuda.device_ndarray import DeviceNDArray

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "empty",
    "shaped_arange",
    "shaped_linspace",
    "shaped_random",
    "shaped_reverse_arange",
]


def to_host(value):
    """The array as a NumPy array."""
    return value.copy_to_host() if isinstance(value, DeviceNDArray) else to_host_copy(value)


def _make_host_comparison(compare):
    @functools.wraps(compare)
    def compare_on_host(*args, **keywords):
        keywords.pop("strict", None)
        return compare(*map(to_host, args), **keywords)

    return compare_on_host


assert_allclose = _make_host_comparison(np.testing.assert_allclose)
assert_array_almost_equal = _make_host_comparison(np.testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _make_host_comparison(np.testing.assert_array_almost_equal_nulp)
assert_array_equal = _make_host_comparison(np.testing.assert_array_equal)
assert_array_less = _make_host_comparison(np.testing.assert_array_less)
assert_array_max_ulp = _make_host_comparison(np.testing.assert_array_max_ulp)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Check that two lists of arrays have equal lengths and equal arrays."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"lists of {len(xlist)} and {len(ylist)} arrays {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """An array with the elements 1, 2, 3 and so on."""
    values = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    values = values % 2 == 0 if np.dtype(dtype).kind == "b" else values
    return _get_module_or_cupy(xp).array(values.astype(dtype), order=order)


def shaped_reverse_arange(shape, xp=None, dtype=np.float32):
    """An array whose elements count down to 1."""
    values = np.arange(int(np.prod(shape)), 0, -1).reshape(shape)
    values = values % 2 == 0 if np.dtype(dtype).kind == "b" else values
    return _get_module_or_cupy(xp).array(values.astype(dtype))


def shaped_linspace(start, stop, shape, xp=None, dtype=np.float32):
    """An array with evenly spaced elements from ``start`` to ``stop``."""
    values = np.linspace(start, stop, int(np.prod(shape))).reshape(shape)
    return _get_module_or_cupy(xp).array(values.astype(dtype))


def empty(xp=None, dtype=np.float32):
    """An array without elements."""
    return _get_module_or_cupy(xp).zeros((0,), dtype=dtype)


def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """An array with random elements from 0 to ``scale``; the same seed gives the same elements."""
    dtype, draw = np.dtype(dtype), np.random.RandomState(seed)
    values = draw.rand(*shape) * scale
    if dtype.kind == "b":
        values = draw.randint(2, size=shape)
    elif dtype.kind == "c":
        values = values + 1j * draw.rand(*shape) * scale
    return _get_module_or_cupy(xp).array(np.asarray(values, dtype), order=order)


def _get_module_or_cupy(xp):
    return sys.modules["heddle.compat.cupy"] if xp is None else xp
