"""All threads that find a value store the same flag: legal, but worth a note."""

import numpy as np

from heddle import cuda


@cuda.jit
def contains(x, value, found):
    i = cuda.grid(1)
    if x[i] == value:
        found[0] = 1  #! race note #-
        #+ cuda.atomic.max(found, 0, 1)


x = np.arange(64, dtype=np.int32) % 10
found = np.zeros(1, np.int32)
contains[2, 32](x, 7, found)
#+ assert found[0] == 1
