"""One branch adds with an atomic, the other one without."""

import numpy as np

from heddle import cuda


@cuda.jit
def balance(x, sums):
    i = cuda.grid(1)
    if x[i] > 0:
        cuda.atomic.add(sums, 0, x[i])  #! race
    elif x[i] < -28:
        sums[0] += 1  #! race #-
        #+ cuda.atomic.add(sums, 0, 1)


x = np.arange(64, dtype=np.int32) - 31
sums = np.zeros(1, np.int32)
balance[1, 64](x, sums)
#+ assert sums[0] == x[x > 0].sum() + 3
