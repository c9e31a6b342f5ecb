"""Quotients and remainders of several kinds, by a size that may be zero."""

import numpy as np

from heddle import cuda


@cuda.jit
def place(x, width, out):
    i = cuda.grid(1)
    w = width[i]
    #+ if w == 0:
    #+     return
    row, column = divmod(x[i], w)  #! division #-
    #+ row, column = divmod(x[i], w)
    out[i] = row + column
    out[i] += x[i] % w  #! division #-
    #+ out[i] += x[i] % w
    x[i] //= w  #! division #-
    #+ x[i] //= w


x = np.arange(32, dtype=np.int64) - 16
width = np.arange(32, dtype=np.int64) % 3
out = np.zeros(32, np.int64)
before = x.copy()
place[1, 32](x, width, out)
#+ w = np.where(width, width, 1)
#+ np.testing.assert_array_equal(out, np.where(width, before // w + before % w * 2, 0))
