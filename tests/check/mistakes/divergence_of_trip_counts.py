"""Every eighth thread has a long row to sum; the other lanes of its warp wait."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_rows(a, lengths, sums):
    i = cuda.grid(1)
    total = 0
    for k in range(lengths[i]):  #! divergence note
        total += a[k, i]
    sums[i] = total


a = np.ones((64, 256), np.int64)
lengths = np.where(np.arange(256) % 8 == 0, 60, 2)
#+ lengths = np.sort(lengths)
sums = np.zeros(256, np.int64)
sum_rows[1, 256](a, lengths, sums)
#+ np.testing.assert_array_equal(sums, lengths)
