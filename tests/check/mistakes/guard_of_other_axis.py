"""A guard compares both coordinates with the number of columns."""

import numpy as np

from heddle import cuda


@cuda.jit
def negate(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[1]:  #-
    #+ if x < a.shape[1] and y < a.shape[0]:
        out[y, x] = -a[y, x]  #! bounds


a = np.arange(12 * 20, dtype=np.int32).reshape(12, 20)
out = np.zeros((12, 20), np.int32)
negate[(3, 3), (8, 8)](a, out)
#+ np.testing.assert_array_equal(out, -a)
