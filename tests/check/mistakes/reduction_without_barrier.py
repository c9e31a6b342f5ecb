"""A tree reduction with no barrier at the end of the loop body."""

import numpy as np

from heddle import cuda


@cuda.jit
def block_sum(x, out):
    s = cuda.shared.array(128, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            s[t] += s[t + half]  #! race
        #+ cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = s[0]


x = np.arange(128, dtype=np.int32)
out = np.zeros(1, np.int32)
block_sum[1, 128](x, out)
#+ assert out[0] == x.sum()
