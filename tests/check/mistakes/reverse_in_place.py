"""Every thread swaps a pair, so that two threads swap each pair."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x):
    i = cuda.grid(1)
    n = x.size
    if i < n:  #-
    #+ if i < n // 2:
        a, b = x[i], x[n - 1 - i]  #! race
        x[i] = b  #! race
        x[n - 1 - i] = a  #! race


x = np.arange(64, dtype=np.int32)
reverse[2, 32](x)
#+ np.testing.assert_array_equal(x, np.arange(64)[::-1])
