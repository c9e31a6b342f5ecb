"""np.linalg: linear equations, inverses and determinants."""

import functools

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_array,
)
from heddle.host_library.linear_algebra.lapack import (
    call,
    check_finite,
    check_nonsingular,
    check_square,
    find_computing_dtype,
    implement_for_matrix,
    make_converting_column_copier,
    register_routine,
)


@implements("numpy.linalg.solve")
def _choose_solve_implementation(a, b):
    if not is_array(a, 2) or not (is_array(b, 1) or is_array(b, 2)):
        return None
    element = np.result_type(
        find_computing_dtype(get_element_dtype(a)), find_computing_dtype(get_element_dtype(b))
    )
    return _specialize_solve(element, b.ndim)


@functools.cache
def _specialize_solve(element, ndim):
    by_columns, gesv = make_converting_column_copier(element), register_routine("gesv", element)

    def solve(a, b):
        check_square(a)
        n = a.shape[0]
        if b.shape[0] != n:
            raise np.linalg.LinAlgError(
                "Incompatible array sizes, system is not dimensionally valid."
            )
        check_finite(a)
        check_finite(b)
        matrix = by_columns(a)
        columns = by_columns(b)
        info = np.zeros(1, np.int64)
        if n > 0:
            call(gesv, n, columns.size // n, matrix, n, np.empty(n, np.int64), columns, n, info)
        check_nonsingular(info)
        return columns.T.copy() if ndim == 2 else columns

    return solve


@functools.cache
def _specialize_inv(element):
    gesv = register_routine("gesv", element)

    def inv(a):
        check_square(a)
        check_finite(a)
        n = a.shape[0]
        # LAPACK sees the transposed matrix and computes its transposed inverse, so no copy in column order is needed.
        matrix, out = np.empty((n, n), element), np.zeros((n, n), element)
        matrix[:] = a
        for i in range(n):
            out[i, i] = 1
        info = np.zeros(1, np.int64)
        if n > 0:
            call(gesv, n, n, matrix, n, np.empty(n, np.int64), out, n, info)
        check_nonsingular(info)
        return out

    return inv


implement_for_matrix("inv", _specialize_inv)


@functools.cache
def _make_lu_factorization(element):
    """A function that returns a matrix's LU factors and the row exchanges; U may be singular."""
    by_columns, getrf = make_converting_column_copier(element), register_routine("getrf", element)

    @compiled
    def factorize_lu(a):
        check_square(a)
        check_finite(a)
        n = a.shape[0]
        triangles, rows = by_columns(a), np.empty(n, np.int64)
        if n > 0:
            call(getrf, n, n, triangles, n, rows, np.zeros(1, np.int64))
        return triangles, rows

    return factorize_lu


@functools.cache
def _specialize_det(element):
    factors, one = _make_lu_factorization(element), element.type(1)

    def det(a):
        triangles, rows = factors(a)
        product = one
        for i in range(rows.size):
            product *= triangles[i, i]
            if rows[i] != i + 1:
                product = -product
        return product

    return det


@functools.cache
def _specialize_slogdet(element):
    factors, one = _make_lu_factorization(element), element.type(1)

    def slogdet(a):
        triangles, rows = factors(a)
        sign, logarithm = one, 0.0
        for i in range(rows.size):
            pivot = triangles[i, i]
            size = np.absolute(pivot)
            if size == 0:
                return one * 0, -np.inf
            sign *= pivot / size
            logarithm += np.log(size)
            if rows[i] != i + 1:
                sign = -sign
        return sign, logarithm

    return slogdet


implement_for_matrix("det", _specialize_det)
implement_for_matrix("slogdet", _specialize_slogdet)
