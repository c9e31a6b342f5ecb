"""A mean divides by a count that is zero for one group."""

import numpy as np

from heddle import cuda


@cuda.jit
def means(total, count, out):
    i = cuda.grid(1)
    out[i] = total[i] // count[i]  #! division #-
    #+ out[i] = total[i] // count[i] if count[i] > 0 else 0


total = np.arange(32, dtype=np.int32)
count = total % 4
out = np.zeros(32, np.int32)
means[1, 32](total, count, out)
#+ np.testing.assert_array_equal(out, np.where(count > 0, total // np.maximum(count, 1), 0))
