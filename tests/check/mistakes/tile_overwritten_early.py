"""A loop over tiles with no barrier before the next tile overwrites shared memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    total = 0
    for start in range(0, x.size, 32):
        s[t] = x[start + t]  #! race
        cuda.syncthreads()
        for j in range(32):
            total += s[j] * (j + t)  #! race
        #+ cuda.syncthreads()
    out[t] = total


x = np.arange(96, dtype=np.int32)
out = np.zeros(32, np.int32)
sums[1, 32](x, out)
#+ weights = np.arange(32) + np.arange(32)[:, None]
#+ np.testing.assert_array_equal(out, weights @ x.reshape(3, 32).sum(0))
