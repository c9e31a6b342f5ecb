"""A tiled product reads tiles before all threads have loaded them."""

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
        left[y, x] = a[row, start + x]  #! race
        right[y, x] = b[start + y, column]  #! race
        #+ cuda.syncthreads()
        for k in range(8):
            total += left[y, k] * right[k, x]  #! race
        cuda.syncthreads()
    c[row, column] = total


a = np.arange(256, dtype=np.float32).reshape(16, 16) % 7
b = np.arange(256, dtype=np.float32).reshape(16, 16) % 5
c = np.zeros((16, 16), np.float32)
product[(2, 2), (8, 8)](a, b, c)
#+ np.testing.assert_array_equal(c, a @ b)
