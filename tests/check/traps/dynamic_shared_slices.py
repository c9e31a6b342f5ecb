"""Two arrays share dynamic memory side by side."""

import numpy as np

from heddle import cuda


@cuda.jit
def combine(x, y, out):
    t = cuda.threadIdx.x
    first = cuda.shared.array(0, np.int32)[:32]
    second = cuda.shared.array(0, np.int32)[32:64]
    first[t] = x[t]
    second[t] = y[t]
    cuda.syncthreads()
    out[t] = first[31 - t] - second[t ^ 1]


x = np.arange(32, dtype=np.int32)
y = 100 * x
out = np.zeros(32, np.int32)
combine[1, 32, 0, 256](x, y, out)
np.testing.assert_array_equal(out, x[::-1] - 100 * (x ^ 1))
