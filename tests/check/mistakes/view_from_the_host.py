"""An index exceeds a slice that the host passes, although its memory goes on."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] *= 2  #! bounds


x = np.arange(64, dtype=np.int32)
double[1, 32](x[10:30], 21)  #-
#+ double[1, 32](x[10:30], 20)
#+ np.testing.assert_array_equal(x[10:30], 2 * np.arange(10, 30))
#+ assert x[30] == 30
