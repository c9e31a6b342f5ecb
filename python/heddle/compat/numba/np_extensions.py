"""numba.np.extensions: substitutes for NumPy functions whose return type depends on values."""

import numpy as np

from heddle.compiler.host_jit import njit
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["cross2d"]


@njit
def cross2d(a, b):
    """The cross product of 2-element vectors, or of arrays of them: one number each."""
    first, second = np.asarray(a), np.asarray(b)
    if first.shape[-1] != 2 or second.shape[-1] != 2:
        raise ValueError(
            "Incompatible dimensions for 2D cross product\n(dimension must be 2 for both inputs)"
        )
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]


def __getattr__(name):
    raise _missing_name("heddle.np.extensions", name)
