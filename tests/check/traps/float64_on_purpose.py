"""The program asks for float64, in the arrays or by a conversion."""

import numpy as np

from heddle import cuda


@cuda.jit
def average(a, out):
    i = cuda.grid(1)
    total = np.float64(0)
    for k in range(a.shape[0]):
        total += a[k, i]
    out[i] = total / a.shape[0]


@cuda.jit
def scale(x, wide, out):
    i = cuda.grid(1)
    wide[i] = x[i] * 0.1
    out[i] = wide[i] * 0.3


a = np.ones((10, 64), np.float32)
wide, out = np.zeros(64), np.zeros(64, np.float32)
average[2, 32](a, out)
np.testing.assert_array_equal(out, np.ones(64))
scale[2, 32](out, wide, out)
np.testing.assert_allclose(out, 0.03)
