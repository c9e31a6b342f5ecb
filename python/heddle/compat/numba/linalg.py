"""numba.np.linalg: LAPACK under numba's names, for jitted functions that call it directly."""

import functools

import numpy as np

from heddle import carray
from heddle.compiler.library_registry import compiled, get_element_dtype
from heddle.host_library.linear_algebra.lapack import call, register_routine


class _LAPACK:
    """The LAPACK routines. Matrices are addresses (``a.ctypes``) in column-major order."""

    def numba_xgesv(self, dtype):
        """``gesv(kind, n, columns, a, lda, ipiv, b, ldb)`` solves equations, with int32 pivots. Returns 0 on
        success."""
        return _make_gesv(np.dtype(get_element_dtype(dtype)))


@functools.cache
def _make_gesv(element):
    name = register_routine("gesv", element)

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
