"""Streams write the columns of a matrix, and another one reads a column that nobody writes."""

import numpy as np

from heddle import cuda


@cuda.jit
def fill_column(m, column):
    row = cuda.grid(1)
    if row < m.shape[0]:
        m[row, column] = 10 * row + m[row, 0]


m = cuda.to_device(np.ones((40, 3), np.int16))
first, second = cuda.stream(), cuda.stream()
fill_column[2, 32, first](m, 1)
fill_column[2, 32, second](m, 2)
cuda.synchronize()
np.testing.assert_array_equal(m.copy_to_host()[:, 2], 10 * np.arange(40) + 1)
