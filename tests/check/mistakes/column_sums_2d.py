"""A reduction along the block's y axis has no barrier between its levels."""

import numpy as np

from heddle import cuda


@cuda.jit
def column_sums(a, out):
    s = cuda.shared.array((16, 8), np.int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    s[y, x] = a[y, x]
    cuda.syncthreads()
    half = 8
    while half > 0:
        if y < half:
            s[y, x] += s[y + half, x]  #! race
        #+ cuda.syncthreads()
        half //= 2
    if y == 0:
        out[x] = s[0, x]


a = np.arange(128, dtype=np.int32).reshape(16, 8)
out = np.zeros(8, np.int32)
column_sums[1, (8, 16)](a, out)
#+ np.testing.assert_array_equal(out, a.sum(0))
