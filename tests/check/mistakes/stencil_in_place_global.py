"""A stencil reads and writes one global array, within blocks and between them."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, out):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x[i] = x[i - 1] + x[i] + x[i + 1]  #! race #-
        #+ out[i] = x[i - 1] + x[i] + x[i + 1]


x = np.arange(96, dtype=np.int32)
out = np.zeros(96, np.int32)
smooth[3, 32](x, out)
#+ np.testing.assert_array_equal(out[1:-1], np.convolve(x, [1, 1, 1], "valid"))
