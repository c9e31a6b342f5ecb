"""A launch has too few blocks, and the next one reads all elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def square(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * x[i]


@cuda.jit
def differences(y, out):
    i = cuda.grid(1)
    if i + 1 < y.size:
        out[i] = y[i + 1] - y[i]  #! uninit #-
        #+ out[i] = y[i + 1] - y[i]


x = cuda.to_device(np.arange(96, dtype=np.float32))
y, out = cuda.device_array_like(x), cuda.to_device(np.zeros(96, np.float32))
square[96 // 64, 64](x, y)  #-
#+ square[2, 64](x, y)
differences[2, 64](y, out)
#+ np.testing.assert_array_equal(out.copy_to_host()[:-1], 2 * np.arange(95) + 1)
