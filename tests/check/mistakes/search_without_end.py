"""A search for a value runs past the end if the value is missing."""

import numpy as np

from heddle import cuda


@cuda.jit
def find(x, wanted, out):
    i = cuda.grid(1)
    j = 0
    while x[j] < wanted[i]:  #! bounds #-
    #+ while j < x.size and x[j] < wanted[i]:
        j += 1
        if j > 70:
            break
    out[i] = j


x = np.arange(64, dtype=np.int32)
wanted = np.array([3, 20, 64], np.int32)
out = np.zeros(3, np.int32)
find[1, 3](x, wanted, out)
#+ assert out.tolist() == [3, 20, 64]
