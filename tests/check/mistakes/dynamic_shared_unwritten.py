"""Each thread sets one element of dynamic shared memory, but the block uses two for each thread."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_pairs(x, out):
    s = cuda.shared.array(0, np.float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    #+ s[t + 32] = 0
    cuda.syncthreads()
    out[t] = s[2 * t] + s[2 * t + 1]  #! uninit #-
    #+ out[t] = s[2 * t] + s[2 * t + 1]


x = np.arange(32, dtype=np.float32)
out = np.zeros(32, np.float32)
sum_pairs[1, 32, 0, 64 * 4](x, out)
#+ np.testing.assert_array_equal(out[:16], x.reshape(16, 2).sum(1))
