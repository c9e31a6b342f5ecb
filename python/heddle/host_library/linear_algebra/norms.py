"""np.linalg: functions based on singular values, norms and powers."""

import functools

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_number_or_bool,
)
from heddle.host_library.linear_algebra.lapack import (
    check_finite,
    check_square,
    find_computing_dtype,
    find_real_dtype,
)


@implements("numpy.linalg.lstsq")
def _choose_lstsq_implementation(a, b, rcond=None):
    if not is_array(a, 2) or not (is_array(b, 1) or is_array(b, 2)):
        return None
    element = np.result_type(
        find_computing_dtype(get_element_dtype(a)), find_computing_dtype(get_element_dtype(b))
    )
    return _specialize_lstsq(element, b.ndim)


@functools.cache
def _specialize_lstsq(element, ndim):
    real = find_real_dtype(element)
    precision = np.finfo(real).eps

    def lstsq(a, b, rcond=None):
        if a.shape[0] != b.shape[0]:
            raise np.linalg.LinAlgError(
                "Incompatible array sizes, system is not dimensionally valid."
            )
        check_finite(a)
        check_finite(b)
        m, n = a.shape
        u, s, vt = np.linalg.svd(a.astype(element), False)
        limit = precision * max(m, n) if rcond is None else rcond
        known = b.reshape((m, b.size // max(m, 1)))
        parts = np.dot(np.conj(u.T).copy(), known.astype(element))
        rank = 0
        for i in range(s.size):
            if s[i] > limit * s[0]:
                parts[i] /= s[i]
                rank += 1
            else:
                parts[i] = 0
        x = np.dot(np.conj(vt.T).copy(), parts)
        residuals = np.empty(known.shape[1] if rank == n and m > n else 0, real)
        if residuals.size:
            left = np.absolute(np.dot(a.astype(element), x) - known)
            residuals[:] = (left * left).sum(0)
        return x if ndim == 2 else x.ravel(), residuals, rank, s

    return lstsq


@implements("numpy.linalg.pinv")
def _choose_pinv_implementation(a, rcond=None):
    return _pinv if is_array(a, 2) else None


def _pinv(a, rcond=1e-15):
    if a.size == 0:
        return a.T.copy()
    u, s, vt = np.linalg.svd(a, False)
    limit = rcond * s.max()
    for i in range(s.size):
        if s[i] > limit:
            vt[i] /= s[i]
        else:
            vt[i] = 0
    return np.dot(np.conj(vt.T).copy(), np.conj(u.T).copy())


@implements("numpy.linalg.matrix_rank")
def _choose_matrix_rank_implementation(A, tol=None):
    if is_array(A, 1):
        return lambda A, tol=None: int(np.any(A != 0))
    return (
        _specialize_matrix_rank(find_real_dtype(find_computing_dtype(get_element_dtype(A))))
        if is_array(A, 2)
        else None
    )


@functools.cache
def _specialize_matrix_rank(real):
    precision = np.finfo(real).eps

    def matrix_rank(A, tol=None):
        _, s, _ = np.linalg.svd(A, False)
        limit = s.max() * max(A.shape) * precision if tol is None else tol
        return np.count_nonzero(s > limit)

    return matrix_rank


@implements("numpy.linalg.cond")
def _choose_cond_implementation(x, p=None):
    if not is_array(x, 2):
        return None
    return _cond_by_2_norm if p is None else _cond_by_norm if is_number_or_bool(p) else None


@compiled
def _cond_by_2_norm(x):
    _, s, _ = np.linalg.svd(x, False)
    least = s[s.size - 1]
    return np.inf if least == 0 else s[0] / least


def _cond_by_norm(x, p):
    if p == 2:
        return _cond_by_2_norm(x)
    if p == -2:
        _, s, _ = np.linalg.svd(x, False)
        return np.inf if s[0] == 0 else s[s.size - 1] / s[0]
    return np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)


@implements("numpy.linalg.matrix_power")
def _choose_matrix_power_implementation(a, n):
    return _specialize_matrix_power(get_element_dtype(a)) if is_array(a, 2) else None


@functools.cache
def _specialize_matrix_power(element):
    def matrix_power(a, n):
        check_square(a)
        base = np.linalg.inv(a).astype(element) if n < 0 else a.copy()
        out = np.eye(a.shape[0]).astype(element)
        left = abs(n)
        while left:
            if left & 1:
                out = np.dot(out, base)
            base = np.dot(base, base)
            left >>= 1
        return out

    return matrix_power


# Norms


@implements("numpy.linalg.norm")
def _choose_norm_implementation(x, ord=None):
    if is_array(x, 1):
        return (
            _specialize_euclidean_norm(get_element_dtype(x))
            if is_absent_or_none(ord)
            else _vector_norm
            if is_number_or_bool(ord)
            else None
        )
    if is_array(x, 2):
        return (
            _frobenius_norm
            if is_absent_or_none(ord)
            else _matrix_norm
            if is_number_or_bool(ord)
            else None
        )
    return None


@functools.cache
def _specialize_euclidean_norm(element):
    if element.kind != "f" or element.itemsize < 4:
        return _euclidean_norm
    tiny, epsilon = np.finfo(element).tiny, np.finfo(element).eps

    def compute_euclidean_norm(x, ord=None):
        total = np.dot(x, x)
        if total > tiny / epsilon and total < np.inf:
            return np.sqrt(total)
        # The squares overflowed or underflowed.
        largest = np.absolute(x).max() if x.size > 0 else total
        if largest == 0 or not largest < np.inf:
            return largest
        parts = x / largest
        return largest * np.sqrt(np.dot(parts, parts))

    return compute_euclidean_norm


def _euclidean_norm(x, ord=None):
    total = 0.0
    for v in x:
        size = np.absolute(v)
        total += size * size
    return np.sqrt(total)


def _frobenius_norm(x, ord=None):
    return np.linalg.norm(x.ravel())


def _vector_norm(x, ord):
    sizes = np.absolute(x)
    if ord == np.inf:
        return float(sizes.max())
    if ord == -np.inf:
        return float(sizes.min())
    if ord == 0:
        return float(np.count_nonzero(x))
    if ord == 1:
        return float(sizes.sum())
    if ord == 2:
        return np.linalg.norm(x)
    return np.power(np.power(sizes, float(ord)).sum(), 1.0 / ord)


def _matrix_norm(x, ord):
    sizes = np.absolute(x)
    if ord == np.inf:
        return float(sizes.sum(1).max())
    if ord == -np.inf:
        return float(sizes.sum(1).min())
    if ord == 1:
        return float(sizes.sum(0).max())
    if ord == -1:
        return float(sizes.sum(0).min())
    if ord == 2 or ord == -2:
        _, s, _ = np.linalg.svd(x, False)
        return float(s[0] if ord == 2 else s[s.size - 1])
    raise ValueError("Invalid norm order for matrices.")
