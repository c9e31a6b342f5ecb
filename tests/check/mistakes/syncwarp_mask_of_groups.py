"""Groups of eight lanes wait for themselves, but read from the next group."""

import numpy as np

from heddle import cuda


@cuda.jit
def rotate(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    cuda.syncwarp(0xFF << (t // 8 * 8))  #-
    #+ cuda.syncwarp()
    out[t] = s[(t + 8) % 32]  #! race


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
rotate[1, 32](x, out)
#+ np.testing.assert_array_equal(out, (x + 8) % 32)
