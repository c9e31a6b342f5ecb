"""Launches with NumPy arrays have ended when they return, in every stream."""

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    x[i] += y[i]


x, y = np.zeros(64, np.int32), cuda.to_device(np.ones(64, np.int32))
first, second = cuda.stream(), cuda.stream()
add[2, 32, first](x, y)
add[2, 32, second](x, y)
add[2, 32, first](y, x)
add[2, 32, second](x, y)
np.testing.assert_array_equal(x, np.full(64, 5))
