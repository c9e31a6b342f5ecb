"""Threads make different numbers of iterations with a barrier in each."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    total = 0
    for start in range(t, x.size, 64):  #-
        s[t] = x[start]  #-
    #+ for start in range(0, x.size, 64):
    #+     s[t] = x[start + t] if start + t < x.size else 0
        cuda.syncthreads()  #! barrier
        total += s[63 - t]  #? race
        cuda.syncthreads()  #? barrier
    out[t] = total


x = np.arange(100, dtype=np.int32)
out = np.zeros(64, np.int32)
sums[1, 64](x, out)
#+ padded = np.append(x, np.zeros(28, np.int32)).reshape(2, 64)
#+ np.testing.assert_array_equal(out, padded.sum(0)[::-1])
