"""Matrices made from parts of others: triangles and diagonals."""

import functools

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
    is_number_or_bool,
)


@implements("numpy.tril")
def _choose_tril_implementation(m, k=None):
    return _choose_triangle_implementation(m, _lower_triangle, np.tril)


def _choose_triangle_implementation(m, implement_for_matrix, function):
    """The implementation for a matrix, for a vector (repeated as each row of a matrix), or for a stack of matrices."""
    if not is_array(m) or m.ndim == 0:
        return None
    if m.ndim == 1:
        return lambda m, k=0: function(_repeat_row(m), k)
    return implement_for_matrix if m.ndim == 2 else _make_stacked_triangle(function)


@compiled
def _repeat_row(row):
    out = np.empty((row.size, row.size), row.dtype)
    out[...] = row
    return out


@functools.cache
def _make_stacked_triangle(function):
    def make_stacked_triangles(m, k=0):
        out = np.empty(m.shape, m.dtype)
        for i in range(m.shape[0]):
            out[i] = function(m[i], k)
        return out

    return make_stacked_triangles


def _lower_triangle(m, k=0):
    out = np.zeros(m.shape, m.dtype)
    for i in range(m.shape[0]):
        end = min(max(i + k + 1, 0), m.shape[1])
        out[i, :end] = m[i, :end]
    return out


@implements("numpy.triu")
def _choose_triu_implementation(m, k=None):
    return _choose_triangle_implementation(m, _upper_triangle, np.triu)


def _upper_triangle(m, k=0):
    out = np.zeros(m.shape, m.dtype)
    for i in range(m.shape[0]):
        begin = min(max(i + k, 0), m.shape[1])
        out[i, begin:] = m[i, begin:]
    return out


@implements("numpy.tri")
def _choose_tri_implementation(N, M=None, k=None):
    return _ones_on_and_below_diagonal if is_absent_or_none(M) or is_integer_or_bool(M) else None


def _ones_on_and_below_diagonal(N, M=None, k=0):
    columns = N if M is None else M
    return np.tril(np.ones((max(N, 0), max(columns, 0))), k)


@compiled
def _triangle_indices(n, k, m, lower):
    inside = np.ones((n, n if m is None else m), np.bool_)
    return np.nonzero(np.tril(inside, k) if lower else np.triu(inside, k))


@implements("numpy.tril_indices")
def _choose_tril_indices_implementation(n, k=None, m=None):
    return lambda n, k=0, m=None: _triangle_indices(n, k, m, True)


@implements("numpy.triu_indices")
def _choose_triu_indices_implementation(n, k=None, m=None):
    return lambda n, k=0, m=None: _triangle_indices(n, k, m, False)


@implements("numpy.diag")
def _choose_diag_implementation(v, k=None):
    return _diagonal_matrix if is_array(v, 1) else _get_diagonal if is_array(v, 2) else None


def _diagonal_matrix(v, k=0):
    n = v.size + abs(k)
    out = np.zeros((n, n), v.dtype)
    for i in range(v.size):
        out[i + max(-k, 0), i + max(k, 0)] = v[i]
    return out


def _get_diagonal(v, k=0):
    row, column = max(-k, 0), max(k, 0)
    out = np.empty(max(min(v.shape[0] - row, v.shape[1] - column), 0), v.dtype)
    for i in range(out.size):
        out[i] = v[i + row, i + column]
    return out


@implements("numpy.diagonal", "array.diagonal")
def _choose_diagonal_of_implementation(a, offset=None):
    return (lambda a, offset=0: np.diag(a, offset)) if is_array(a, 2) else None


@implements("numpy.diagflat")
def _choose_diagflat_implementation(v, k=None):
    if is_number_or_bool(v):
        return lambda v, k=0: np.diag(np.array((v,)), k)
    return (lambda v, k=0: np.diag(v.ravel(), k)) if is_array(v) else None


@implements("numpy.vander")
def _choose_vander_implementation(x, N=None, increasing=None):
    return (
        _specialize_vander(np.promote_types(get_element_dtype(x), np.int64))
        if is_array(x, 1)
        else None
    )


@functools.cache
def _specialize_vander(element):
    def make_vandermonde_matrix(x, N=None, increasing=False):
        columns = x.size if N is None else N
        out = np.ones((x.size, columns), element)
        for i in range(x.size):
            for j in range(1, columns):
                if increasing:
                    out[i, j] = out[i, j - 1] * x[i]
                else:
                    out[i, columns - 1 - j] = out[i, columns - j] * x[i]
        return out

    return make_vandermonde_matrix


@implements("numpy.tril_indices_from")
def _choose_tril_indices_from_implementation(arr, k=None):
    return _find_lower_triangle_indices if is_array(arr, 2) else None


def _find_lower_triangle_indices(arr, k=0):
    return np.tril_indices(arr.shape[0], k, arr.shape[1])


@implements("numpy.triu_indices_from")
def _choose_triu_indices_from_implementation(arr, k=None):
    return _find_upper_triangle_indices if is_array(arr, 2) else None


def _find_upper_triangle_indices(arr, k=0):
    return np.triu_indices(arr.shape[0], k, arr.shape[1])
