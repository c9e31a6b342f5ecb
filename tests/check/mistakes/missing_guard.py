"""The last block has more threads than elements are left."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    #+ if i < x.size:
    #+     out[i] = 2 * x[i]
    out[i] = 2 * x[i]  #! bounds #-


x = np.arange(100, dtype=np.int32)
out = np.zeros(100, np.int32)
double[2, 64](x, out)
#+ np.testing.assert_array_equal(out, 2 * x)
