"""A stencil guards the first element, but not the last one."""

import numpy as np

from heddle import cuda


@cuda.jit
def slopes(x, out):
    i = cuda.grid(1)
    if 1 <= i < x.size:  #-
    #+ if 1 <= i < x.size - 1:
        out[i] = x[i + 1] - x[i - 1]  #! bounds


x = np.arange(64, dtype=np.int32) ** 2
out = np.zeros(64, np.int32)
slopes[1, 64](x, out)
#+ np.testing.assert_array_equal(out[1:-1], x[2:] - x[:-2])
