"""A stream fills a column of a matrix by a copy while another stream sums the rows."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_rows(m, sums):
    row = cuda.grid(1)
    for column in range(m.shape[1]):
        sums[row] += m[row, column]  #! race  #? uncoalesced note


m, sums = cuda.to_device(np.ones((32, 4))), cuda.to_device(np.zeros(32))
column = cuda.to_device(np.full(32, 3.0))
copies, compute = cuda.stream(), cuda.stream()
m[:, 2].copy_to_device(column, stream=copies)  #! race
#+ copies.synchronize()
sum_rows[1, 32, compute](m, sums)
cuda.synchronize()
#+ np.testing.assert_array_equal(sums.copy_to_host(), np.full(32, 6.0))
