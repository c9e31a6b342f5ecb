"""A tree reduction that starts before all threads have loaded."""

import numpy as np

from heddle import cuda


@cuda.jit
def block_sum(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    #+ cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            s[t] += s[t + half]  #! race
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = s[0]


x = np.arange(64, dtype=np.int32)
out = np.zeros(1, np.int32)
block_sum[1, 64](x, out)
#+ assert out[0] == x.sum()
