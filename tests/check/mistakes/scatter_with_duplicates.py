"""Several elements go to one target, and threads add without atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def scatter_add(index, x, out):
    i = cuda.grid(1)
    out[index[i]] += x[i]  #! race #-
    #+ cuda.atomic.add(out, index[i], x[i])


index = np.arange(64) % 63
x = np.arange(64, dtype=np.float32)
out = np.zeros(64, np.float32)
scatter_add[2, 32](index, x, out)
#+ np.testing.assert_array_equal(out, np.bincount(index, x, 64))
