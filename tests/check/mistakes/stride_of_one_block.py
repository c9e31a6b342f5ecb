"""A grid-stride loop advances by the block's size, so that blocks repeat each other's elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    while i < x.size:
        x[i] *= 2  #! race
        i += cuda.blockDim.x  #-
        #+ i += cuda.gridsize(1)


x = np.arange(128, dtype=np.int32)
double[2, 32](x)
#+ np.testing.assert_array_equal(x, 2 * np.arange(128))
