"""The BLAS and LAPACK in NumPy's wheels: OpenBLAS with 64-bit integers.

LAPACK stores matrices by columns: to LAPACK, an array in C order is the transposed matrix.
"""

import functools
import glob
import os

import numpy as np

from heddle import _heddle
from heddle.compiler.intrinsics import Intrinsic
from heddle.compiler.library_registry import compiled, get_element_dtype, implements, is_array
from heddle.errors import UnsupportedError
from heddle.host_library.shapes import make_converting_copier

call = Intrinsic("host.call_fortran")
_letters = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


@functools.cache
def _find_library():
    """NumPy's library, which is already loaded in the process, or None."""
    import ctypes  # late: few programs multiply matrices

    folder = os.path.dirname(os.path.dirname(np.__file__))
    for path in glob.glob(os.path.join(folder, "numpy.libs", "libscipy_openblas64_*.so")):
        return ctypes.CDLL(path)
    return None


def is_library_found():
    return _find_library() is not None


@functools.cache
def register_routine(name, element):
    """The name with which compiled code calls a routine such as "gemm" for a dtype. Raises UnsupportedError."""
    import ctypes  # late: few programs multiply matrices

    if not is_library_found():
        raise UnsupportedError(
            "np.linalg needs the LAPACK that comes with NumPy's wheels, and this NumPy has none\n"
            "  hint: install NumPy from PyPI"
        )
    symbol = f"scipy_{_letters[element.name]}{name}_64_"
    address = ctypes.cast(getattr(_find_library(), symbol), ctypes.c_void_p).value
    _heddle.define_foreign_function(symbol, address)
    return symbol


def has_routines(element):
    """True if LAPACK has routines for elements of a dtype."""
    return element.name in _letters


def find_computing_dtype(element):
    """The dtype in which LAPACK computes for elements of a dtype."""
    return element if has_routines(element) else np.dtype(np.float64)


def find_real_dtype(element):
    return np.empty(0, element).real.dtype


def implement_for_matrix(name, make):
    """Implements np.linalg.name(a) for a matrix."""

    @implements(f"numpy.linalg.{name}")
    def choose_implementation(a):
        return make(find_computing_dtype(get_element_dtype(a))) if is_array(a, 2) else None


@compiled
def check_square(a):
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")


@compiled
def check_finite(a):
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")


@compiled
def check_nonsingular(info):
    if info[0] > 0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")


@compiled
def check_converged(info):
    if info[0] > 0:
        raise ValueError("Internal algorithm failed to converge.")


@functools.cache
def make_converting_column_copier(element):
    """A function that copies a matrix to column order, returned as the transposed array."""

    copied = make_converting_copier(element)

    @compiled
    def copy_by_columns(a):
        return copied(a.T)

    return copy_by_columns
