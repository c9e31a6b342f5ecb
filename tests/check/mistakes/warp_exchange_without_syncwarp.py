"""Lanes of a warp exchange values through shared memory without a warp barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def swap_pairs(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    #+ cuda.syncwarp()
    out[t] = s[t ^ 1]  #! race


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
swap_pairs[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x ^ 1)
