"""Neighbouring threads read elements that are a row apart."""

import numpy as np

from heddle import cuda


@cuda.jit
def scale(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:  #-
        out[x, y] = 3 * a[x, y]  #! uncoalesced note #-
    #+ if x < a.shape[1] and y < a.shape[0]:
    #+     out[y, x] = 3 * a[y, x]


a = np.arange(64 * 64, dtype=np.int32).reshape(64, 64)
out = np.zeros((64, 64), np.int32)
scale[(2, 8), (32, 8)](a, out)
#+ np.testing.assert_array_equal(out, 3 * a)
