"""A barrier stands after the wrong one of two loads."""

import numpy as np

from heddle import cuda


@cuda.jit
def combine(x, y, out):
    first = cuda.shared.array(64, np.int32)
    second = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    first[t] = x[t]
    cuda.syncthreads()  #-
    second[t] = y[t]  #! race
    #+ cuda.syncthreads()
    out[t] = first[63 - t] + second[63 - t]  #! race


x = np.arange(64, dtype=np.int32)
y = 3 * x
out = np.zeros(64, np.int32)
combine[1, 64](x, y, out)
#+ np.testing.assert_array_equal(out, (x + y)[::-1])
