"""A scatter writes each element once."""

import numpy as np

from heddle import cuda


@cuda.jit
def scatter(x, index, out):
    i = cuda.grid(1)
    out[index[i]] = x[i]


x = np.arange(96, dtype=np.int32)
index = (x * 41 + 7) % 96
out = np.zeros(96, np.int32)
scatter[3, 32](x, index, out)
np.testing.assert_array_equal(out[index], x)
