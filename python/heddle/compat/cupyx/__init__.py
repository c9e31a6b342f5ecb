"""What ``import cupyx`` gives where heddle stands in for CuPy: ``cupyx.profiler``, pinned arrays."""

from heddle.compat.cupyx import profiler
from heddle.cuda.shared_arrays import pinned_array
from heddle.missing_names import missing_name

__all__ = ["empty_pinned", "profiler", "scatter_add", "zeros_pinned"]


def empty_pinned(shape, dtype=float, order="C"):
    """A NumPy array in page-locked memory, not initialised."""
    return pinned_array(shape, dtype, order=order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A NumPy array of zeros in page-locked memory."""
    zeros = empty_pinned(shape, dtype, order)
    zeros[...] = 0
    return zeros


def scatter_add(a, slices, value):
    """``a[slices] += value``, where an element that is named twice is added to twice."""
    a.scatter_add(slices, value)


def __getattr__(name):
    raise missing_name("heddle.cupyx", name)
