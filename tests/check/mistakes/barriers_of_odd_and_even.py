"""Odd and even threads of a warp wait at different barriers."""

import numpy as np

from heddle import cuda


@cuda.jit
def exchange(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t % 2 == 0:
        s[t] = x[t]  #? race
        cuda.syncthreads()  #! barrier #-
    else:
        s[t] = -x[t]  #? race
        cuda.syncthreads()  #! barrier #-
    #+ cuda.syncthreads()
    out[t] = s[t ^ 1]  #? race


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
exchange[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.where(x % 2, x - 1, -x - 1))
