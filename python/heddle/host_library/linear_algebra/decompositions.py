"""np.linalg: Cholesky and QR decompositions, eigenvalues, singular values."""

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
    check_converged,
    check_finite,
    check_square,
    find_computing_dtype,
    find_real_dtype,
    implement_for_matrix,
    make_converting_column_copier,
    register_routine,
)


@functools.cache
def _specialize_cholesky(element):
    by_columns, potrf = make_converting_column_copier(element), register_routine("potrf", element)

    def cholesky(a):
        check_square(a)
        n = a.shape[0]
        triangle, info = by_columns(a), np.zeros(1, np.int64)
        if n > 0:
            call(potrf, "L", n, triangle, n, info)
        if info[0] > 0:
            raise np.linalg.LinAlgError("Matrix is not positive definite.")
        return np.tril(triangle.T)

    return cholesky


implement_for_matrix("cholesky", _specialize_cholesky)


@functools.cache
def _make_hermitian_eigensolver(element, vectors):
    """A function that returns the eigenvalues in ascending order and the eigenvectors as rows."""
    by_columns, real, is_complex = (
        make_converting_column_copier(element),
        find_real_dtype(element),
        element.kind == "c",
    )
    evd = register_routine("heevd" if is_complex else "syevd", element)
    job = "V" if vectors else "N"

    @compiled
    def solve_hermitian_eigenproblem(a):
        check_square(a)
        check_finite(a)
        n = a.shape[0]
        rows, values, info = by_columns(a), np.empty(n, real), np.zeros(1, np.int64)
        size, integers = 1 + 6 * n + 2 * n * n, 3 + 5 * n
        work, numbers = np.empty(size, element), np.empty(integers, np.int64)
        if n > 0:
            if is_complex:
                others = np.empty(size, real)
                call(
                    evd,
                    job,
                    "L",
                    n,
                    rows,
                    n,
                    values,
                    work,
                    size,
                    others,
                    size,
                    numbers,
                    integers,
                    info,
                )
            else:
                call(evd, job, "L", n, rows, n, values, work, size, numbers, integers, info)
        check_converged(info)
        return values, rows

    return solve_hermitian_eigenproblem


@functools.cache
def _make_general_eigensolver(element, vectors):
    """A function that returns eigenvalues, and eigenvectors as rows. It raises ValueError if those of a real matrix are
    not real."""
    by_columns, real, is_complex = (
        make_converting_column_copier(element),
        find_real_dtype(element),
        element.kind == "c",
    )
    geev = register_routine("geev", element)
    job = "V" if vectors else "N"

    @compiled
    def solve_general_eigenproblem(a):
        check_square(a)
        check_finite(a)
        n = a.shape[0]
        matrix, values, info = by_columns(a), np.empty(n, element), np.zeros(1, np.int64)
        rows, none = np.empty((n, n), element), np.empty(1, element)
        size = max(8 * n, 1)
        work, others = np.empty(size, element), np.zeros(max(2 * n, 1), real)
        if n > 0:
            if is_complex:
                call(
                    geev, "N", job, n, matrix, n, values, none, 1, rows, n, work, size, others, info
                )
            else:
                call(
                    geev, "N", job, n, matrix, n, values, others, none, 1, rows, n, work, size, info
                )
                if np.any(others[:n] != 0):
                    raise ValueError("eig() argument must not cause a domain change.")
        check_converged(info)
        return values, rows

    return solve_general_eigenproblem


def _implement_eigenproblem(make_solver, name, name_for_values):
    """Implements a function that returns eigenvalues and eigenvectors, and one that returns only the eigenvalues."""

    @functools.cache
    def specialize_eig(element):
        solve_eigenproblem = make_solver(element, True)

        def eig(a):
            values, rows = solve_eigenproblem(a)
            return values, rows.T.copy()

        return eig

    @functools.cache
    def specialize_eigvals(element):
        solve_eigenproblem = make_solver(element, False)

        def eigvals(a):
            return solve_eigenproblem(a)[0]

        return eigvals

    implement_for_matrix(name, specialize_eig)
    implement_for_matrix(name_for_values, specialize_eigvals)


_implement_eigenproblem(_make_hermitian_eigensolver, "eigh", "eigvalsh")
_implement_eigenproblem(_make_general_eigensolver, "eig", "eigvals")


@implements("numpy.linalg.svd")
def _choose_svd_implementation(a, full_matrices=None):
    return _specialize_svd(find_computing_dtype(get_element_dtype(a))) if is_array(a, 2) else None


@functools.cache
def _specialize_svd(element):
    by_columns, real, is_complex = (
        make_converting_column_copier(element),
        find_real_dtype(element),
        element.kind == "c",
    )
    gesdd = register_routine("gesdd", element)

    def svd(a, full_matrices=True):
        check_finite(a)
        m, n = a.shape
        least, most = min(m, n), max(m, n)
        matrix, s, info = by_columns(a), np.empty(least, real), np.zeros(1, np.int64)
        left = m if full_matrices else least
        right = n if full_matrices else least
        u, vt = np.empty((left, m), element), np.empty((n, right), element)
        size = 4 * least * least + 7 * least + most + 1000
        work, numbers = np.empty(size, element), np.empty(8 * least + 1, np.int64)
        job = np.array((np.int8(65 if full_matrices else 83),))
        if least == 0:
            raise np.linalg.LinAlgError("Arrays cannot be empty")
        if is_complex:
            others = np.empty(5 * least * (most + least) + 7 * most, real)
            call(gesdd, job, m, n, matrix, m, s, u, m, vt, right, work, size, others, numbers, info)
        else:
            call(gesdd, job, m, n, matrix, m, s, u, m, vt, right, work, size, numbers, info)
        check_converged(info)
        return u.T.copy(), s, vt.T.copy()

    return svd


@functools.cache
def _specialize_qr(element):
    by_columns = make_converting_column_copier(element)
    geqrf = register_routine("geqrf", element)
    orgqr = register_routine("ungqr" if element.kind == "c" else "orgqr", element)

    def qr(a):
        check_finite(a)
        m, n = a.shape
        least = min(m, n)
        matrix, info = by_columns(a), np.zeros(1, np.int64)
        scales, size = np.empty(max(least, 1), element), 64 * max(n, 1)
        work = np.empty(size, element)
        if least > 0:
            call(geqrf, m, n, matrix, m, scales, work, size, info)
        r = np.triu(matrix.T[:least])
        if least > 0:
            call(orgqr, m, least, least, matrix, m, scales, work, size, info)
        return matrix[:least].T.copy(), r

    return qr


implement_for_matrix("qr", _specialize_qr)
