"""Comparisons of arrays, each with the arguments of numpy.testing's of the same name, and arrays to compare."""

import functools
import sys

import numpy as np

from heddle.compat.cupy.arrays import host_copy
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


def on_host(value):
    """The array as NumPy's."""
    return value.copy_to_host() if isinstance(value, DeviceNDArray) else host_copy(value)


def _comparison(compare):
    @functools.wraps(compare)
    def compare_on_host(*args, **keywords):
        keywords.pop("strict", None)
        return compare(*map(on_host, args), **keywords)

    return compare_on_host


assert_allclose = _comparison(np.testing.assert_allclose)
assert_array_almost_equal = _comparison(np.testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _comparison(np.testing.assert_array_almost_equal_nulp)
assert_array_equal = _comparison(np.testing.assert_array_equal)
assert_array_less = _comparison(np.testing.assert_array_less)
assert_array_max_ulp = _comparison(np.testing.assert_array_max_ulp)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Two lists of arrays are as long as each other, and their arrays equal."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"lists of {len(xlist)} and {len(ylist)} arrays {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """An array of that shape with 1, 2, 3 and so on as elements."""
    values = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    values = values % 2 == 0 if np.dtype(dtype).kind == "b" else values
    return _of(xp).array(values.astype(dtype), order=order)


def shaped_reverse_arange(shape, xp=None, dtype=np.float32):
    """An array of that shape whose elements count down to 1."""
    values = np.arange(int(np.prod(shape)), 0, -1).reshape(shape)
    values = values % 2 == 0 if np.dtype(dtype).kind == "b" else values
    return _of(xp).array(values.astype(dtype))


def shaped_linspace(start, stop, shape, xp=None, dtype=np.float32):
    """An array of that shape with numbers from ``start`` to ``stop`` at equal distances."""
    values = np.linspace(start, stop, int(np.prod(shape))).reshape(shape)
    return _of(xp).array(values.astype(dtype))


def empty(xp=None, dtype=np.float32):
    """An array without elements."""
    return _of(xp).zeros((0,), dtype=dtype)


def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """An array of that shape with random elements from 0 to ``scale``, the same ones for a seed."""
    dtype, draw = np.dtype(dtype), np.random.RandomState(seed)
    values = draw.rand(*shape) * scale
    if dtype.kind == "b":
        values = draw.randint(2, size=shape)
    elif dtype.kind == "c":
        values = values + 1j * draw.rand(*shape) * scale
    return _of(xp).array(np.asarray(values, dtype), order=order)


def _of(xp):
    return sys.modules["heddle.compat.cupy"] if xp is None else xp
