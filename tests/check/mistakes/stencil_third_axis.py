"""A stencil in three dimensions reads past the end of its last axis."""

import numpy as np

from heddle import cuda


@cuda.jit
def differences(a, out):
    x, y, z = cuda.grid(3)
    if x < a.shape[2] and y < a.shape[1] and z < a.shape[0]:  #-
    #+ if x < a.shape[2] - 1 and y < a.shape[1] and z < a.shape[0]:
        out[z, y, x] = a[z, y, x + 1] - a[z, y, x]  #! bounds


a = np.arange(4 * 4 * 8, dtype=np.int32).reshape(4, 4, 8) ** 2
out = np.zeros((4, 4, 8), np.int32)
differences[(1, 1, 2), (8, 4, 2)](a, out)
#+ np.testing.assert_array_equal(out[:, :, :-1], np.diff(a))
