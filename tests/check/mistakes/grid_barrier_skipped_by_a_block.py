"""A block without work goes around the barrier of the grid, and waits at the next one."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, y, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    if cuda.blockIdx.x < 2:
        y[i] = 2 * x[i]
        grid.sync()  #! barrier #-
    #+ grid.sync()
    out[i] = i
    grid.sync()  #! barrier #-
    #+ grid.sync()
    if i < 64:
        out[i] += y[(i + 32) % 64]


x = np.arange(64, dtype=np.int32)
y, out = np.zeros(64, np.int32), np.zeros(96, np.int32)
smooth[3, 32](x, y, out)
#+ np.testing.assert_array_equal(out[:64], x + 2 * ((x + 32) % 64))
