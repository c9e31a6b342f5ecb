"""Negative indices count from the end."""

import numpy as np

from heddle import cuda


@cuda.jit
def neighbours(x, out):
    i = cuda.grid(1)
    out[-i - 1] = x[i - 1] + x[i - 64] + x[-1]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
neighbours[1, 64](x, out)
np.testing.assert_array_equal(out[::-1], np.roll(x, 1) + x + 63)
