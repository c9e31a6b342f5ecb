"""A block barrier separates two phases that exchange values between blocks."""

import numpy as np

from heddle import cuda


@cuda.jit
def mirror(x, y, out):
    i = cuda.grid(1)
    y[i] = 5 * x[i]  #! race
    cuda.syncthreads()  #-
    #+ cuda.cg.this_grid().sync()
    out[i] = y[x.size - 1 - i]  #! race


x = np.arange(96, dtype=np.int32)
y, out = np.zeros(96, np.int32), np.zeros(96, np.int32)
mirror[3, 32](x, y, out)
#+ np.testing.assert_array_equal(out, 5 * x[::-1])
