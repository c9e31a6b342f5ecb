"""cupy._core.internal and cupy._core._scalar: what programs that generate kernels ask CuPy for."""

import math

import numpy as np

from heddle.compat.cupy.kernel_parameters import cpp_type

__all__ = ["get_typename", "prod", "prod_sequence"]

_normalize_axis_index = np.lib.array_utils.normalize_axis_index


def _normalize_axis_indices(axes, ndim, sort_axes=True):
    """Axes as a tuple of numbers from 0 to ndim - 1; all of them for None. Raises AxisError, or ValueError for one
    that is named twice."""
    axes = range(ndim) if axes is None else axes
    found = np.lib.array_utils.normalize_axis_tuple(axes, ndim)
    return tuple(sorted(found)) if sort_axes else found


prod = prod_sequence = math.prod


def get_typename(dtype):
    """The name in C++ of a dtype."""
    return cpp_type(np.dtype(dtype))
