"""``cupyx`` where Heddle replaces CuPy: profiler, jit, pinned arrays, rsqrt."""

import numpy as np

from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupyx import jit, profiler, time
from heddle.compat.cupyx.settings import (
    DeviceSynchronized,
    allow_synchronize,
    errstate,
    geterr,
    seterr,
)
from heddle.cuda.shared_arrays import pinned_array
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "DeviceSynchronized",
    "allow_synchronize",
    "empty_like_pinned",
    "empty_pinned",
    "errstate",
    "geterr",
    "jit",
    "profiler",
    "rsqrt",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "seterr",
    "time",
    "zeros_like_pinned",
    "zeros_pinned",
]


def empty_pinned(shape, dtype=float, order="C"):
    """Allocates an uninitialized NumPy array in page-locked memory."""
    return pinned_array(shape, dtype, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    """Allocates a NumPy array of zeros in page-locked memory."""
    zeros = empty_pinned(shape, dtype, order)
    zeros[...] = 0
    return zeros


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """Allocates a page-locked NumPy array with the shape, dtype and layout of ``a``, unless given."""
    shape = a.shape if shape is None else shape
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    if order == "K" and shape == a.shape and has_dense_strides(a):
        # Order the axes by stride, as in ``a``.
        axes = sorted(range(a.ndim), key=lambda axis: -a.strides[axis])
        packed = empty_pinned(tuple(shape[axis] for axis in axes), dtype)
        return packed.transpose(sorted(range(a.ndim), key=axes.__getitem__))
    fortran = a.flags.f_contiguous and not a.flags.c_contiguous
    return empty_pinned(shape, dtype, "F" if order == "F" or (order in "AK" and fortran) else "C")


def has_dense_strides(a):
    """True if the elements are contiguous in memory in some order of the axes."""
    step = a.dtype.itemsize
    for stride, extent in sorted(zip(a.strides, a.shape, strict=True)):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As empty_like_pinned, filled with zeros."""
    zeros = empty_like_pinned(a, dtype, order, subok, shape)
    zeros[...] = 0
    return zeros


def scatter_add(a, slices, value):
    """``a[slices] += value``, accumulating for repeated indices."""
    a.scatter_add(slices, value)


def scatter_max(a, slices, value):
    """``a[slices] = maximum(a[slices], value)``, accumulating for repeated indices."""
    a.scatter_max(slices, value)


def scatter_min(a, slices, value):
    """``a[slices] = minimum(a[slices], value)``, accumulating for repeated indices."""
    a.scatter_min(slices, value)


_rsqrt = {
    "e": ElementwiseKernel("float16 x", "float16 y", "y = rsqrtf((float)x)", "cupyx_rsqrt"),
    "f": ElementwiseKernel("float32 x", "float32 y", "y = rsqrtf(x)", "cupyx_rsqrt"),
    "d": ElementwiseKernel("float64 x", "float64 y", "y = rsqrt(x)", "cupyx_rsqrt"),
}


def rsqrt(x, out=None):
    """1 / sqrt(x), elementwise."""
    if not is_device_array(x):
        raise TypeError(f"rsqrt takes a cupy.ndarray, not a {type(x).__name__}")
    kind = np.sqrt(np.empty(0, x.dtype)).dtype
    if kind.char not in _rsqrt:
        raise TypeError(f"rsqrt takes real numbers, not {x.dtype}")
    x = x if x.dtype == kind else x.astype(kind)
    return _rsqrt[kind.char](x) if out is None else _rsqrt[kind.char](x, out)


def __getattr__(name):
    raise make_missing_name_error("heddle.cupyx", name)
