"""Only half of the block reaches a barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def fold(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()  #? barrier
    v = 0
    if t < 32:
        v = s[t] + s[63 - t]  #? race
        cuda.syncthreads()  #! barrier #-
    #+ cuda.syncthreads()
    s[t] = v  #? race
    cuda.syncthreads()  #? barrier
    out[t] = s[t ^ 1]  #? race


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
fold[1, 64](x, out)
#+ np.testing.assert_array_equal(out, np.where(x < 32, 63, 0))
