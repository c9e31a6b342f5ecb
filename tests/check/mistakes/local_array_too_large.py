"""A local array of 2000 bytes does not fit in the registers of a thread."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_columns(x, out):
    i = cuda.grid(1)
    #+ for k in range(500):
        #+ out[k, i] = x[499 - k, i]
    column = cuda.local.array(500, np.float32)  #-
    for k in range(500):  #-
        column[k] = x[k, i]  #? local-array note #-
    for k in range(500):  #-
        out[k, i] = column[499 - k]  #? local-array note #-


x = np.arange(500 * 32, dtype=np.float32).reshape(500, 32)
out = np.zeros_like(x)
reverse_columns[1, 32](x, out)
#+ np.testing.assert_array_equal(out, x[::-1])
