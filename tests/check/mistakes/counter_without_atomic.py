"""Threads of all blocks increment one counter without an atomic."""

import numpy as np

from heddle import cuda


@cuda.jit
def count_odd(x, count):
    i = cuda.grid(1)
    if i < x.size and x[i] % 2 == 1:
        count[0] += 1  #! race #-
        #+ cuda.atomic.add(count, 0, 1)


x = np.arange(100, dtype=np.int32) * 3
count = np.zeros(1, np.int32)
count_odd[2, 64](x, count)
#+ assert count[0] == 50
