"""Each thread works on a chunk of neighboring elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def square(x, out):
    i = cuda.grid(1)
    per_thread = x.size // cuda.gridsize(1)
    for k in range(per_thread):
        j = per_thread * i + k  #-
        #+ j = cuda.gridsize(1) * k + i
        out[j] = x[j] * x[j]  #! uncoalesced note


x = np.arange(64 * 8, dtype=np.float32)
out = np.zeros_like(x)
square[2, 32](x, out)
#+ np.testing.assert_array_equal(out, x * x)
