"""A device function gets a length that is one too large."""

import numpy as np

from heddle import cuda


@cuda.jit(device=True)
def total_of(x, start, count):
    total = 0
    for j in range(start, start + count):
        total += x[j]  #! bounds
    return total


@cuda.jit
def window_sums(x, out):
    i = cuda.grid(1)
    out[i] = total_of(x, 4 * i, 5)  #-
    #+ out[i] = total_of(x, 4 * i, 4)


x = np.arange(64, dtype=np.int32)
out = np.zeros(16, np.int32)
window_sums[1, 16](x, out)
#+ np.testing.assert_array_equal(out, x.reshape(16, 4).sum(1))
