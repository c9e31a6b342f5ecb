"""Blocks count in shared memory and add their bins to the result with atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def histogram(x, h):
    s = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(h, t, s[t])


x = np.arange(300, dtype=np.int32) * 7 % 16
h = np.zeros(16, np.int32)
histogram[2, 64](x, h)
np.testing.assert_array_equal(h, np.bincount(x, minlength=16))
