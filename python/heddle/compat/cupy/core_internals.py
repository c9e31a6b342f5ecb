"""cupy._core.internal and cupy._core._scalar: helpers that kernel-generating programs import from CuPy."""

import math

import numpy as np

from heddle.compat.cupy.kernel_parameters import name_cpp_type

__all__ = ["get_typename", "prod", "prod_sequence"]

_normalize_axis_index = np.lib.array_utils.normalize_axis_index


def _normalize_axis_indices(axes, ndim, sort_axes=True):
    """Axes as a tuple of integers from 0 to ndim - 1; None means all axes. Raises AxisError, or ValueError for a
    repeated axis."""
    axes = range(ndim) if axes is None else axes
    found = np.lib.array_utils.normalize_axis_tuple(axes, ndim)
    return tuple(sorted(found)) if sort_axes else found


prod = prod_sequence = math.prod


def get_typename(dtype):
    """The C++ name of a dtype, such as "float" or "thrust::complex<float>"."""
    name = name_cpp_type(np.dtype(dtype))
    return f"thrust::{name}" if name.startswith("complex<") else name
