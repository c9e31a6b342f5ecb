"""An index exceeds a view of a row, although the array goes on."""

import numpy as np

from heddle import cuda


@cuda.jit
def row_ends(a, out):
    i = cuda.grid(1)
    row = a[i, 2:6]
    out[i] = row[4]  #! bounds #-
    #+ out[i] = row[3]


a = np.arange(64, dtype=np.int32).reshape(8, 8)
out = np.zeros(8, np.int32)
row_ends[1, 8](a, out)
#+ np.testing.assert_array_equal(out, a[:, 5])
