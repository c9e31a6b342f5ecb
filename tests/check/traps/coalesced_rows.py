"""The last index follows threadIdx.x, and blocks of 8 by 8 threads read whole sectors."""

import numpy as np

from heddle import cuda


@cuda.jit
def scale(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[y, x] = 3 * a[y, x]


a = np.arange(60 * 60, dtype=np.float32).reshape(60, 60)
out = np.zeros_like(a)
scale[(8, 8), (8, 8)](a, out)
np.testing.assert_array_equal(out, 3 * a)
