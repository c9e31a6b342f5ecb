"""Threads without an element go around the barrier of the grid."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, y, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    if i < x.size:
        y[i] = 2 * x[i]  #? race
        grid.sync()  #! barrier #-
    #+ grid.sync()
    if i < out.size:
        out[i] = y[(i + 1) % x.size]  #? race


x = np.arange(50, dtype=np.int32)
y, out = np.zeros(50, np.int32), np.zeros(60, np.int32)
smooth[2, 32](x, y, out)
#+ np.testing.assert_array_equal(out, 2 * ((np.arange(60) + 1) % 50))
