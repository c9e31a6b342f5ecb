"""What ``import cupyx`` gives where heddle stands in for CuPy: profiler, jit, pinned arrays, rsqrt."""

import numpy as np

from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.elementwise import ElementwiseKernel
from heddle.compat.cupyx import jit, profiler
from heddle.compat.cupyx.settings import (
    DeviceSynchronized,
    allow_synchronize,
    errstate,
    geterr,
    seterr,
)
from heddle.cuda.shared_arrays import pinned_array
from heddle.missing_names import missing_name

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
    "zeros_like_pinned",
    "zeros_pinned",
]


def empty_pinned(shape, dtype=float, order="C"):
    """A NumPy array in page-locked memory, not initialised."""
    return pinned_array(shape, dtype, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A NumPy array of zeros in page-locked memory."""
    zeros = empty_pinned(shape, dtype, order)
    zeros[...] = 0
    return zeros


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A NumPy array in page-locked memory with the shape, the dtype and the layout of ``a`` unless they are given."""
    shape = a.shape if shape is None else shape
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    if order == "K" and shape == a.shape and is_dense(a):
        # The axes in the order of their strides, as in ``a``.
        axes = sorted(range(a.ndim), key=lambda axis: -a.strides[axis])
        packed = empty_pinned(tuple(shape[axis] for axis in axes), dtype)
        return packed.transpose(sorted(range(a.ndim), key=axes.__getitem__))
    fortran = a.flags.f_contiguous and not a.flags.c_contiguous
    return empty_pinned(shape, dtype, "F" if order == "F" or (order in "AK" and fortran) else "C")


def is_dense(a):
    """Whether an array has one step per element along some order of its axes."""
    step = a.dtype.itemsize
    for stride, extent in sorted(zip(a.strides, a.shape, strict=True)):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As empty_like_pinned, with zeros."""
    zeros = empty_like_pinned(a, dtype, order, subok, shape)
    zeros[...] = 0
    return zeros


def scatter_add(a, slices, value):
    """``a[slices] += value``, where an element that is named twice is added to twice."""
    a.scatter_add(slices, value)


def scatter_max(a, slices, value):
    """``a[slices] = maximum(a[slices], value)``, where an element that is named twice takes part twice."""
    a.scatter_max(slices, value)


def scatter_min(a, slices, value):
    """``a[slices] = minimum(a[slices], value)``, where an element that is named twice takes part twice."""
    a.scatter_min(slices, value)


_rsqrt = {
    "e": ElementwiseKernel("float16 x", "float16 y", "y = rsqrtf((float)x)", "cupyx_rsqrt"),
    "f": ElementwiseKernel("float32 x", "float32 y", "y = rsqrtf(x)", "cupyx_rsqrt"),
    "d": ElementwiseKernel("float64 x", "float64 y", "y = rsqrt(x)", "cupyx_rsqrt"),
}


def rsqrt(x, out=None):
    """1 / sqrt(x), element by element."""
    if not is_array(x):
        raise TypeError(f"rsqrt takes a cupy.ndarray, not a {type(x).__name__}")
    kind = np.sqrt(np.empty(0, x.dtype)).dtype
    if kind.char not in _rsqrt:
        raise TypeError(f"rsqrt takes real numbers, not {x.dtype}")
    x = x if x.dtype == kind else x.astype(kind)
    return _rsqrt[kind.char](x) if out is None else _rsqrt[kind.char](x, out)


def __getattr__(name):
    raise missing_name("heddle.cupyx", name)
