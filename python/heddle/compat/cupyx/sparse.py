"""cupyx.scipy.sparse on the CPU device: SciPy's matrices for CuPy programs.

A matrix wraps a SciPy matrix, which computes. ``data``, ``indices`` and so on are CuPy arrays over its memory, so that
kernels take them; ``get()`` returns a SciPy matrix.
"""

import functools
import importlib
import types

import numpy as np

from heddle.compat.cupy.arrays import ndarray, to_numpy_views, wrap_numpy_array
from heddle.compat.cupy.numpy_functions import NumpyModule, asarray

_parts = ("data", "indices", "indptr", "row", "col", "offsets")
_operators = (
    *("add", "sub", "mul", "matmul", "truediv", "pow", "eq", "ne", "lt", "le", "gt", "ge"),
    *("radd", "rsub", "rmul", "rmatmul", "rtruediv", "iadd", "isub", "imul", "itruediv"),
    *("neg", "abs", "getitem"),
)


def to_scipy(value):
    """Converts CuPy matrices and arrays in a value to those of SciPy and NumPy."""
    if isinstance(value, SparseMatrix):
        return value._matrix
    if type(value) in (tuple, list):
        return type(value)(map(to_scipy, value))
    return to_numpy_views(value)


def to_cupy(value):
    """Converts a SciPy result to CuPy's classes."""
    if _is_scipy_sparse(value):
        return _get_matrix_class(value)._wrap_matrix(value)
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, ndarray):
        return asarray(value)
    if type(value) in (tuple, list):
        return type(value)(map(to_cupy, value))
    return value


def wrap_scipy_function(function):
    """Wraps a SciPy function to take and return CuPy matrices and arrays."""

    @functools.wraps(function)
    def call_scipy_function(*args, **keywords):
        args = to_scipy(args)
        return to_cupy(function(*args, **{name: to_scipy(v) for name, v in keywords.items()}))

    return call_scipy_function


class SparseMatrix:
    """A sparse matrix from an array, another matrix, a shape, or ``(data, indices, indptr)``, as in SciPy."""

    __module__ = "cupyx.scipy.sparse"
    __array_ufunc__ = None  # makes arrays defer to the matrix's operators
    _made = "csr_matrix"

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        make = getattr(_import_scipy_sparse(), self._made)
        self._matrix = make(to_scipy(arg1), shape=shape, dtype=dtype, copy=copy)

    @classmethod
    def _wrap_matrix(cls, matrix):
        made = cls.__new__(cls)
        made._matrix = matrix
        return made

    def get(self, stream=None):
        """A copy as a SciPy matrix."""
        return self._matrix.copy()

    def __getattr__(self, name):
        if name.startswith("__") or name == "_matrix":
            raise AttributeError(name)
        found = getattr(self._matrix, name)
        if name in _parts and isinstance(found, np.ndarray):
            return wrap_numpy_array(found)
        return wrap_scipy_function(found) if callable(found) else to_cupy(found)

    def __setattr__(self, name, value):
        if name == "_matrix":
            super().__setattr__(name, value)
        else:
            setattr(self._matrix, name, to_scipy(value))

    def __setitem__(self, key, value):
        self._matrix[to_scipy(key)] = to_scipy(value)

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz() or shape[0]")

    def __bool__(self):
        return bool(self._matrix)

    def __reduce__(self):
        return to_cupy, (self._matrix,)

    def __repr__(self):
        return repr(self._matrix).replace("scipy", "cupyx.scipy")

    def __str__(self):
        return str(self._matrix)

    __hash__ = None


def _make_operator_method(name):
    def apply_scipy_operator(self, *others):
        return to_cupy(getattr(self._matrix, name)(*to_scipy(others)))

    apply_scipy_operator.__name__ = name
    return apply_scipy_operator


for _name in _operators:
    setattr(SparseMatrix, f"__{_name}__", _make_operator_method(f"__{_name}__"))


def _make_matrix_class(name):
    space = {"_made": name, "__doc__": SparseMatrix.__doc__, "__module__": SparseMatrix.__module__}
    return type(name, (SparseMatrix,), space)


_classes = {kind: _make_matrix_class(f"{kind}_matrix") for kind in ("csr", "csc", "coo", "dia")}


def _get_matrix_class(matrix):
    return _classes.get(matrix.format, SparseMatrix)


def _import_scipy_sparse():
    return importlib.import_module("scipy.sparse")  # late: a program imports it


def _is_scipy_sparse(value):
    return (
        hasattr(value, "format")
        and hasattr(value, "nnz")
        and _import_scipy_sparse().issparse(value)
    )


class SparseModule(NumpyModule):
    """scipy.sparse or a module below it, with CuPy's matrix classes."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kind, _, rest = name.partition("_")
        if rest in ("matrix", "array") and kind in _classes:
            return _classes[kind]
        if name in ("spmatrix", "sparray"):
            return SparseMatrix
        found = getattr(self._module, name)
        if name.startswith("is"):
            return lambda x: isinstance(x, SparseMatrix) and found(x._matrix)
        if isinstance(found, types.ModuleType):
            return importlib.import_module(f"{self.__name__}.{name}")  # late: a program imports it
        return (
            wrap_scipy_function(found) if callable(found) and not isinstance(found, type) else found
        )
