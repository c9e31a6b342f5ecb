"""A shared array has room for the block, but not for the two halo cells."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, out):
    s = cuda.shared.array(32, np.int32)  #-
    #+ s = cuda.shared.array(34, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t + 1] = x[i]  #! bounds
    if t == 0:
        s[0] = x[i - 1] if i > 0 else 0
    if t == 31:
        s[33] = x[i + 1] if i + 1 < x.size else 0  #! bounds
    cuda.syncthreads()
    out[i] = s[t] + s[t + 1] + s[t + 2]  #! bounds


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
smooth[2, 32](x, out)
#+ np.testing.assert_array_equal(out, np.convolve(x, [1, 1, 1], "same"))
