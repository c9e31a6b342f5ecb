"""Each thread walks along a row of a sparse matrix, so that a warp reads from many rows at once."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_rows(values, starts, columns, sums):
    i = cuda.grid(1)
    total = np.float32(0)
    for k in range(starts[i], starts[i + 1]):  #-
        total += values[k]  #! uncoalesced note #-
    #+ for k in range(columns.shape[0]):
    #+     total += columns[k, i]
    sums[i] = total


values = np.arange(64 * 10, dtype=np.float32)
starts = np.arange(65) * 10
columns = np.ascontiguousarray(values.reshape(64, 10).T)
sums = np.zeros(64, np.float32)
sum_rows[2, 32](values, starts, columns, sums)
#+ np.testing.assert_array_equal(sums, values.reshape(64, 10).sum(axis=1))
