"""A negative index counts from the end, and one thread counts too far."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[-i - 2]  #! bounds #-
        #+ out[i] = x[-i - 1]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
reverse[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x[::-1])
