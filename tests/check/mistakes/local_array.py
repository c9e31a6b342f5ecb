"""A loop reads one element past a local array."""

import numpy as np

from heddle import cuda


@cuda.jit
def polynomial(x, out):
    powers = cuda.local.array(4, np.int32)
    i = cuda.grid(1)
    powers[0] = 1
    for k in range(1, 4):
        powers[k] = powers[k - 1] * x[i]
    total = 0
    for k in range(5):  #-
    #+ for k in range(4):
        total += powers[k]  #! bounds
    out[i] = total


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
polynomial[1, 32](x, out)
#+ np.testing.assert_array_equal(out, 1 + x + x**2 + x**3)
