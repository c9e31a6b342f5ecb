"""A plain look at a counter decides whether to take a place."""

import numpy as np

from heddle import cuda


@cuda.jit
def first_odd(x, out, count):
    i = cuda.grid(1)
    if x[i] % 2 == 1:
        if count[0] < out.size:  #! race #-
            place = cuda.atomic.add(count, 0, 1)  #! race
            if place < out.size:
                out[place] = x[i]


x = np.arange(64, dtype=np.int32)
out, count = np.zeros(8, np.int32), np.zeros(1, np.int32)
first_odd[2, 32](x, out, count)
#+ assert np.unique(out).size == 8 and (out % 2 == 1).all()
