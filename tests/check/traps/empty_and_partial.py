"""Grid-stride loops over few and no elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] *= 2


for n in (0, 1, 33, 200):
    x = np.arange(n, dtype=np.int32)
    double[2, 32](x)
    np.testing.assert_array_equal(x, 2 * np.arange(n))
