"""Threads count into bins that others have not cleared yet."""

import numpy as np

from heddle import cuda


@cuda.jit
def histogram(x, h):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 32:
        s[t] = 0  #! race
    #+ cuda.syncthreads()
    cuda.atomic.add(s, x[t], 1)  #! race
    cuda.syncthreads()
    if t < 32:
        h[t] = s[t]


x = np.arange(128, dtype=np.int32) * 5 % 32
h = np.zeros(32, np.int32)
histogram[1, 128](x, h)
#+ np.testing.assert_array_equal(h, np.bincount(x, minlength=32))
