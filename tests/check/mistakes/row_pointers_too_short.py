"""A sparse product needs one row pointer more than there are rows."""

import numpy as np

from heddle import cuda


@cuda.jit
def row_sums(start, values, out):
    row = cuda.grid(1)
    if row < start.size:  #-
    #+ if row < start.size - 1:
        total = 0
        for j in range(start[row], start[row + 1]):  #! bounds
            total += values[j]  #? uncoalesced note
        out[row] = total  #? bounds


start = np.arange(33, dtype=np.int32) * 3
values = np.arange(96, dtype=np.int32)
out = np.zeros(32, np.int32)
row_sums[1, 64](start, values, out)
#+ np.testing.assert_array_equal(out, values.reshape(32, 3).sum(1))
