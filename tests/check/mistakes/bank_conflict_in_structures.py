"""Threads keep eight values each side by side in shared memory, so that a warp uses four banks."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x, out):
    mine = cuda.shared.array((64, 8), np.int32)  #-
    #+ mine = cuda.shared.array((8, 64), np.int32)
    t = cuda.threadIdx.x
    for k in range(8):
        mine[t, k] = x[k, t]  #! bank-conflict note #-
        #+ mine[k, t] = x[k, t]
    for k in range(8):
        out[k, t] = mine[t, 7 - k]  #! bank-conflict note #-
        #+ out[k, t] = mine[7 - k, t]


x = np.arange(8 * 64, dtype=np.int32).reshape(8, 64)
out = np.zeros_like(x)
reverse[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x[::-1])
