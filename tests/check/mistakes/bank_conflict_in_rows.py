"""Each thread of a warp sums a row of 32 floats in shared memory: all of them read the same bank."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_rows(a, sums):
    tile = cuda.shared.array((32, 32), np.float32)  #-
    #+ tile = cuda.shared.array((32, 33), np.float32)
    t = cuda.threadIdx.x
    for k in range(32):
        tile[k, t] = a[k, t]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(32):
        total += tile[t, k]  #! bank-conflict note
    sums[t] = total


a = np.arange(1024, dtype=np.float32).reshape(32, 32)
sums = np.zeros(32, np.float32)
sum_rows[1, 32](a, sums)
#+ np.testing.assert_array_equal(sums, a.sum(axis=1))
