"""A Python float makes the arithmetic of a float32 kernel double precision."""

import numpy as np

from heddle import cuda


@cuda.jit
def halve(x, out):
    i = cuda.grid(1)
    out[i] = x[i] * 0.1  #! float64 note #-
    #+ out[i] = x[i] * np.float32(0.1)


x = np.arange(64, dtype=np.float32)
out = np.zeros(64, np.float32)
halve[2, 32](x, out)
#+ np.testing.assert_array_equal(out, x * np.float32(0.1))
