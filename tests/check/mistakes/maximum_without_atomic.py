"""Threads raise a shared maximum with a compare and a store."""

import numpy as np

from heddle import cuda


@cuda.jit
def largest(x, out):
    s = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = -1
    cuda.syncthreads()
    if x[t] > s[0]:  #! race #-
        s[0] = x[t]  #! race #-
    #+ cuda.atomic.max(s, 0, x[t])
    cuda.syncthreads()
    if t == 0:
        out[0] = s[0]


x = np.arange(64, dtype=np.int32) * 29 % 64
out = np.zeros(1, np.int32)
largest[1, 64](x, out)
#+ assert out[0] == 63
