"""Lanes leave a loop in different iterations, and the others name them in a shuffle."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    t = cuda.threadIdx.x
    total = 0
    for i in range(t, x.size, 32):  #-
        v = x[i]  #-
    #+ for start in range(0, x.size, 32):
    #+     v = x[start + t] if start + t < x.size else 0
        for d in (16, 8, 4, 2, 1):
            v += cuda.shfl_xor_sync(0xFFFFFFFF, v, d)  #! warp #-
            #+ v += cuda.shfl_xor_sync(0xFFFFFFFF, v, d)
        total += v
    out[t] = total


x = np.arange(80, dtype=np.int32)
out = np.zeros(32, np.int32)
sums[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.full(32, x.sum()))
