"""A device function writes shared memory, and its caller reads it with no barrier."""

import numpy as np

from heddle import cuda


@cuda.jit(device=True)
def load(s, x, t):
    s[t] = 3 * x[t]  #! race


@cuda.jit
def swap_pairs(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    load(s, x, t)
    #+ cuda.syncthreads()
    out[t] = s[t ^ 1]  #! race


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
swap_pairs[1, 64](x, out)
#+ np.testing.assert_array_equal(out, 3 * (x ^ 1))
