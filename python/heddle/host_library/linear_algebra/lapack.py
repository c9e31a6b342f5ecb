"""The BLAS and LAPACK that NumPy brings: OpenBLAS, which its wheels have beside them, with integers of 64 bits.

LAPACK's matrices have their columns one after the other: an array in C order is the transposed matrix there.
"""

import functools
import glob
import os

import numpy as np

from heddle import _heddle
from heddle.compiler.intrinsics import Intrinsic
from heddle.errors import UnsupportedError
from heddle.host_library.registry import compiled, dtype_of, implements, is_array
from heddle.host_library.shapes import copied_in_rows

call = Intrinsic("host.call_fortran")
_letters = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


@functools.cache
def _library():
    """NumPy's library, which is in the process already, or None."""
    import ctypes  # late: few programs multiply matrices

    folder = os.path.dirname(os.path.dirname(np.__file__))
    for path in glob.glob(os.path.join(folder, "numpy.libs", "libscipy_openblas64_*.so")):
        return ctypes.CDLL(path)
    return None


def is_found():
    return _library() is not None


@functools.cache
def routine(name, element):
    """The name by which compiled code calls, say, "gemm" for elements of a dtype."""
    import ctypes  # late: few programs multiply matrices

    if not is_found():
        raise UnsupportedError(
            "np.linalg needs the LAPACK of NumPy's wheels, which this NumPy has not\n"
            "  hint: install NumPy from PyPI"
        )
    symbol = f"scipy_{_letters[element.name]}{name}_64_"
    address = ctypes.cast(getattr(_library(), symbol), ctypes.c_void_p).value
    _heddle.define_foreign_function(symbol, address)
    return symbol


def has_routines(element):
    """Whether LAPACK computes with elements of a dtype."""
    return element.name in _letters


def computed_in(element):
    """The dtype that LAPACK computes in for elements of a dtype."""
    return element if has_routines(element) else np.dtype(np.float64)


def real_dtype(element):
    return np.empty(0, element).real.dtype


def of_matrix(name, make):
    """Implements np.linalg.name(a) of a matrix."""

    @implements(f"numpy.linalg.{name}")
    def choose(a):
        return make(computed_in(dtype_of(a))) if is_array(a, 2) else None


@compiled
def check_square(a):
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")


@compiled
def check_finite(a):
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")


@compiled
def check_status(info):
    if info[0] > 0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")


@compiled
def check_converged(info):
    if info[0] > 0:
        raise ValueError("Internal algorithm failed to converge.")


@functools.cache
def columns_of(element):
    """A copy of a matrix with its columns one after the other, as its transposed array."""

    copied = copied_in_rows(element)

    @compiled
    def by_columns(a):
        return copied(a.T)

    return by_columns
