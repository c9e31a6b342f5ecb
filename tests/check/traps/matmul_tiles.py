"""A tiled product of matrices that are no multiple of the tile."""

import numpy as np

from heddle import cuda


@cuda.jit
def product(a, b, c):
    left = cuda.shared.array((8, 8), np.float32)
    right = cuda.shared.array((8, 8), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for start in range(0, a.shape[1], 8):
        left[y, x] = 0
        right[y, x] = 0
        if row < a.shape[0] and start + x < a.shape[1]:
            left[y, x] = a[row, start + x]
        if start + y < b.shape[0] and column < b.shape[1]:
            right[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(8):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


a = np.arange(13 * 19, dtype=np.float32).reshape(13, 19) % 7
b = np.arange(19 * 10, dtype=np.float32).reshape(19, 10) % 5
c = np.zeros((13, 10), np.float32)
product[(2, 2), (8, 8)](a, b, c)
np.testing.assert_array_equal(c, a @ b)
