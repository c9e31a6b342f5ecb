"""An odd-even sort has no barrier between its phases."""

import numpy as np

from heddle import cuda


@cuda.jit
def sort(x):
    t = cuda.threadIdx.x
    for phase in range(x.size):
        i = 2 * t + phase % 2
        if i + 1 < x.size and x[i] > x[i + 1]:  #! race
            a = x[i]  #? race
            x[i] = x[i + 1]  #! race
            x[i + 1] = a  #! race
        #+ cuda.syncthreads()


x = np.arange(32, dtype=np.int32) * 13 % 32
sort[1, 16](x)
#+ np.testing.assert_array_equal(x, np.arange(32))
