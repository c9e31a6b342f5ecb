"""A histogram in shared memory counts without atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def histogram(x, h):
    s = cuda.shared.array(8, np.int32)
    t = cuda.threadIdx.x
    if t < 8:
        s[t] = 0
    cuda.syncthreads()
    s[x[t]] += 1  #! race #-
    #+ cuda.atomic.add(s, x[t], 1)
    cuda.syncthreads()
    if t < 8:
        h[t] = s[t]


x = np.arange(128, dtype=np.int32) * 5 % 8
h = np.zeros(8, np.int32)
histogram[1, 128](x, h)
#+ np.testing.assert_array_equal(h, np.bincount(x, minlength=8))
