"""A block of three axes sums along z with no barrier after the load."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(a, out):
    s = cuda.shared.array((4, 4, 8), np.int32)
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    s[z, y, x] = a[z, y, x]  #! race
    #+ cuda.syncthreads()
    if z == 0:
        out[y, x] = s[0, y, x] + s[1, y, x] + s[2, y, x] + s[3, y, x]  #! race


a = np.arange(128, dtype=np.int32).reshape(4, 4, 8)
out = np.zeros((4, 8), np.int32)
sums[1, (8, 4, 4)](a, out)
#+ np.testing.assert_array_equal(out, a.sum(0))
