"""A value is loaded in one line, which only copies it, and used in another."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, out):
    s = cuda.shared.array(34, np.float32)
    t = cuda.threadIdx.x
    s[t + 1] = x[t]
    #+ if t == 0:
    #+     s[0] = s[33] = 0
    cuda.syncthreads()
    left = s[t]
    right = s[t + 2]
    if t > 3:
        left = s[t]
    out[t] = left + right  #! uninit #-
    #+ out[t] = left + right


x = np.arange(32, dtype=np.float32)
out = np.zeros(32, np.float32)
smooth[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.append(0, x[:-1]) + np.append(x[1:], 0))
