"""A block reverses an array through shared memory with no barrier after the load."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    #+ cuda.syncthreads()
    out[t] = s[63 - t]  #! race


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
reverse[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x[::-1])
