"""numba.np.linalg: LAPACK by numba's names, for jitted functions that call it themselves."""

import functools

import numpy as np

from heddle import carray
from heddle.host_library.linear_algebra.lapack import call, routine
from heddle.host_library.registry import compiled, dtype_of


class _LAPACK:
    """What jitted functions call: matrices are addresses (``a.ctypes``), their columns one after the other."""

    def numba_xgesv(self, dtype):
        """Solves equations: ``gesv(kind, n, columns, a, lda, ipiv, b, ldb)`` with pivots of int32; 0 when it could."""
        return _gesv(np.dtype(dtype_of(dtype)))


@functools.cache
def _gesv(element):
    name = routine("gesv", element)

    @compiled
    def gesv(kind, n, columns, a, lda, ipiv, b, ldb):
        pivots, info = np.empty(n, np.int64), np.zeros(1, np.int64)
        matrix, sides = carray(a, (n, lda), element), carray(b, (columns, ldb), element)
        call(name, n, columns, matrix, lda, pivots, sides, ldb, info)
        given = carray(ipiv, (n,), np.int32)
        for i in range(n):
            given[i] = pivots[i]
        return info[0]

    return gesv
