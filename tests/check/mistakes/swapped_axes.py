"""A kernel indexes columns with y and rows with x."""

import numpy as np

from heddle import cuda


@cuda.jit
def negate(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[x, y] = -a[x, y]  #! bounds #-
        #+ out[y, x] = -a[y, x]


a = np.arange(12 * 20, dtype=np.int32).reshape(12, 20)
out = np.zeros((12, 20), np.int32)
negate[(3, 2), (8, 8)](a, out)
#+ np.testing.assert_array_equal(out, -a)
