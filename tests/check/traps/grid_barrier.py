"""A grid barrier separates two phases that exchange values between blocks."""

import numpy as np

from heddle import cuda


@cuda.jit
def mirror(x, y, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for step in range(3):
        y[i] = x[i] + step
        grid.sync()
        out[i] += y[x.size - 1 - i]
        grid.sync()


x = np.arange(96, dtype=np.int32)
y, out = np.zeros(96, np.int32), np.zeros(96, np.int32)
mirror[3, 32](x, y, out)
np.testing.assert_array_equal(out, 3 * x[::-1] + 3)
