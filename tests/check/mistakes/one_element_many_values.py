"""All threads store different values in one element."""

import numpy as np

from heddle import cuda


@cuda.jit
def last(x, out):
    i = cuda.grid(1)
    out[0] = x[i]  #! race #-
    #+ if i == x.size - 1:
    #+     out[0] = x[i]


x = np.arange(64, dtype=np.int32)
out = np.zeros(1, np.int32)
last[2, 32](x, out)
#+ assert out[0] == 63
