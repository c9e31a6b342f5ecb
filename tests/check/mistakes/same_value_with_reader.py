"""Threads store the same flag while others read it."""

import numpy as np

from heddle import cuda


@cuda.jit
def search(x, value, found, out):
    i = cuda.grid(1)
    if x[i] == value:
        found[0] = 1  #! race #? race note #-
        #+ found[0] = 1  #? race note
    #+ cuda.cg.this_grid().sync()
    out[i] = found[0]  #! race


x = np.arange(64, dtype=np.int32) % 10
found, out = np.zeros(1, np.int32), np.zeros(64, np.int32)
search[2, 32](x, 7, found, out)
#+ assert out.tolist() == [1] * 64
