"""Blocks pass the barrier of the grid in a loop, one block more often than the others."""

import numpy as np

from heddle import cuda


@cuda.jit
def count(out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    steps = 3 + (cuda.blockIdx.x == 1)  #-
    #+ steps = 3
    for _ in range(steps):
        out[i] += 1
        grid.sync()  #! barrier #-
        #+ grid.sync()


out = np.zeros(96, np.int32)
count[3, 32](out)
#+ np.testing.assert_array_equal(out, 3)
