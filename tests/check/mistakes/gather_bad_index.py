"""An index array holds one value that is too large."""

import numpy as np

from heddle import cuda


@cuda.jit
def gather(x, index, out):
    i = cuda.grid(1)
    out[i] = x[index[i]]  #! bounds #-
    #+ out[i] = x[index[i]] if index[i] < x.size else -1


x = np.arange(32, dtype=np.int32) * 3
index = np.arange(32) * 5 % 32
index[7] = 32
out = np.zeros(32, np.int32)
gather[1, 32](x, index, out)
#+ np.testing.assert_array_equal(out, np.where(index < 32, 3 * index, -1))
