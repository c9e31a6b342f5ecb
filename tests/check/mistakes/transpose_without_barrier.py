"""A tile is read transposed with no barrier after the load."""

import numpy as np

from heddle import cuda


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((8, 9), np.int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 8, cuda.blockIdx.y * 8
    tile[y, x] = a[top + y, left + x]  #! race
    #+ cuda.syncthreads()
    out[left + y, top + x] = tile[x, y]  #! race


a = np.arange(16 * 24, dtype=np.int32).reshape(16, 24)
out = np.zeros((24, 16), np.int32)
transpose[(3, 2), (8, 8)](a, out)
#+ np.testing.assert_array_equal(out, a.T)
