"""Block 0 clears the counter that other blocks already increment."""

import numpy as np

from heddle import cuda


@cuda.jit
def count_odd(x, count):
    i = cuda.grid(1)
    if i == 0:  #-
        count[0] = 0  #! race #-
    if x[i] % 2 == 1:
        cuda.atomic.add(count, 0, 1)  #! race


x = np.arange(96, dtype=np.int32)
count = np.zeros(1, np.int32)
count_odd[3, 32](x, count)
#+ assert count[0] == 48
