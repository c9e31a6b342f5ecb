"""Threads above the diagonal swap two elements each."""

import numpy as np

from heddle import cuda


@cuda.jit
def transpose(a):
    x, y = cuda.grid(2)
    if y < x < a.shape[1]:
        a[y, x], a[x, y] = a[x, y], a[y, x]


a = np.arange(144, dtype=np.int32).reshape(12, 12)
start = a.copy()
transpose[(2, 2), (8, 8)](a)
np.testing.assert_array_equal(a, start.T)
