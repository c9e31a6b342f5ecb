"""cupy.testing: comparisons of arrays. Each takes what numpy.testing's function of the same name takes."""

import functools

import numpy as np

from heddle.compat.cupy.arrays import host_values
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.missing_names import missing_name

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "shaped_arange",
    "shaped_random",
]


def _on_host(value):
    return value.copy_to_host() if isinstance(value, DeviceNDArray) else host_values(value)


def _comparison(compare):
    @functools.wraps(compare)
    def compare_on_host(*args, **keywords):
        keywords.pop("strict", None)
        return compare(*map(_on_host, args), **keywords)

    return compare_on_host


(
    assert_allclose,
    assert_array_almost_equal,
    assert_array_almost_equal_nulp,
    assert_array_equal,
    assert_array_less,
    assert_array_max_ulp,
) = (_comparison(getattr(np.testing, name)) for name in __all__[:6])


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """An array of that shape with 1, 2, 3 and so on as elements."""
    values = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    values = values % 2 == 0 if np.dtype(dtype).kind == "b" else values
    return _of(xp).array(values.astype(dtype), order=order)


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
    if xp is not None:
        return xp
    from heddle.compat import cupy  # late: this module is one of its own

    return cupy


def __getattr__(name):
    raise missing_name("heddle.cupy.testing", name)
