"""All threads of a row write its first column."""

import numpy as np

from heddle import cuda


@cuda.jit
def table(out):
    x, y = cuda.grid(2)
    out[y, 0] = x + 16 * y  #! race #-
    #+ out[y, x] = x + 16 * y


out = np.zeros((16, 16), np.int32)
table[(2, 2), (8, 8)](out)
#+ np.testing.assert_array_equal(out.ravel(), np.arange(256))
