"""Threads write adjacent bytes and booleans."""

import numpy as np

from heddle import cuda


@cuda.jit
def classify(x, small, odd):
    s = cuda.shared.array(64, np.uint8)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] % 200
    small[i] = s[t] + 1
    odd[i] = x[i] % 2 == 1


x = np.arange(128, dtype=np.int32)
small, odd = np.zeros(128, np.uint8), np.zeros(128, np.bool_)
classify[2, 64](x, small, odd)
np.testing.assert_array_equal(small, x + 1)
np.testing.assert_array_equal(odd, x % 2 == 1)
