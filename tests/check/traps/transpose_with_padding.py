"""A tile with a padded row is written by rows and read by columns."""

import numpy as np

from heddle import cuda


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((8, 9), np.int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 8, cuda.blockIdx.y * 8
    for j in range(0, 8, 4):
        tile[y + j, x] = a[top + y + j, left + x]
    cuda.syncthreads()
    for j in range(0, 8, 4):
        out[left + y + j, top + x] = tile[x, y + j]


a = np.arange(16 * 24, dtype=np.int32).reshape(16, 24)
out = np.zeros((24, 16), np.int32)
transpose[(3, 2), (8, 4)](a, out)
np.testing.assert_array_equal(out, a.T)
