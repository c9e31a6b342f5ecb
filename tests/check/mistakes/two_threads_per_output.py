"""Two threads write each output element."""

import numpy as np

from heddle import cuda


@cuda.jit
def thin(x, out):
    i = cuda.grid(1)
    out[i // 2] = x[i]  #! race #-
    #+ if i % 2 == 0:
    #+     out[i // 2] = x[i]


x = np.arange(64, dtype=np.int32)
out = np.zeros(32, np.int32)
thin[2, 32](x, out)
#+ np.testing.assert_array_equal(out, x[::2])
