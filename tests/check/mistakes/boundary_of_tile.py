"""Threads at the tile's edge load halo cells after the barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, out):
    s = cuda.shared.array(34, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t + 1] = x[i]
    cuda.syncthreads()  #-
    if t == 0:
        s[0] = x[i - 1] if i > 0 else 0
    if t == 1:
        s[33] = x[i + 31] if i + 31 < x.size else 0  #! race
    #+ cuda.syncthreads()
    out[i] = s[t] + s[t + 1] + s[t + 2]  #! race


x = np.arange(96, dtype=np.int32)
out = np.zeros(96, np.int32)
smooth[3, 32](x, out)
#+ np.testing.assert_array_equal(out, np.convolve(x, [1, 1, 1], "same"))
