"""A kernel copies elements that nobody has written, and another kernel uses the copies."""

import numpy as np

from heddle import cuda


@cuda.jit
def copy_reversed(x, y):
    i = cuda.grid(1)
    y[x.size - 1 - i] = x[i]


@cuda.jit
def double(y):
    i = cuda.grid(1)
    y[i] = 2 * y[i]  #! uninit #-
    #+ y[i] = 2 * y[i]


@cuda.jit
def fill(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = i


x, y = cuda.device_array(64, np.int32), cuda.device_array(64, np.int32)
fill[2, 32](x, 40)  #-
#+ fill[2, 32](x, 64)
copy_reversed[2, 32](x, y)
double[2, 32](y)
#+ np.testing.assert_array_equal(y.copy_to_host(), 2 * np.arange(64)[::-1])
