"""Threads read a shared queue while others still append to it."""

import numpy as np

from heddle import cuda


@cuda.jit
def squares_of_odd(x, out):
    queue = cuda.shared.array(64, np.int32)
    tail = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        tail[0] = 0
    cuda.syncthreads()
    if x[t] % 2 == 1:
        queue[cuda.atomic.add(tail, 0, 1)] = t  #! race
    #+ cuda.syncthreads()
    if t < tail[0]:  #! race
        i = queue[t]  #? race
        out[i] = x[i] * x[i]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
squares_of_odd[1, 64](x, out)
#+ np.testing.assert_array_equal(out, np.where(x % 2 == 1, x * x, 0))
