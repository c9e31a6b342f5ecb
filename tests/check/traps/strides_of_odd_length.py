"""Rows of 33 and 7 words in shared memory: the lanes of a column are in different banks."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_both(a, rows, columns):
    tile = cuda.shared.array((32, 33), np.float32)
    parts = cuda.shared.array((32, 7), np.float32)
    t = cuda.threadIdx.x
    for k in range(32):
        tile[k, t] = a[k, t]
    cuda.syncthreads()
    for k in range(7):
        parts[t, k] = tile[t, k] + tile[t, k + 7]
    cuda.syncwarp()
    total = np.float32(0)
    for k in range(7):
        total += parts[t, k]
    rows[t] = total
    columns[t] = tile[3, t]


a = np.ones((32, 32), np.float32)
rows, columns = np.zeros(32, np.float32), np.zeros(32, np.float32)
sum_both[1, 32](a, rows, columns)
np.testing.assert_array_equal(rows, np.full(32, 14))
