"""Threads with nothing to do skip the rest of an iteration, with its barriers."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    total = 0
    for k in range(3):
        v = x[k, t]
        if v < 0:  #-
            continue  #-
        s[t] = v  #? race #-
        #+ s[t] = max(v, 0)
        cuda.syncthreads()  #! barrier
        total += s[31 - t]  #? race
        cuda.syncthreads()  #? barrier
    out[t] = total


x = np.arange(96, dtype=np.int32).reshape(3, 32)
x[1, 5:9] = -1
out = np.zeros(32, np.int32)
sums[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.maximum(x, 0).sum(0)[::-1])
