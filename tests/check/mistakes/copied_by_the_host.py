"""An array is copied to another one before all of it is written."""

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    y[i] += x[i]  #! uninit #-
    #+ y[i] += x[i]


x, copy = cuda.device_array(64, np.int32), cuda.device_array(64, np.int32)
x[:32] = 1
#+ x[32:] = 2
copy.copy_to_device(x)
y = cuda.to_device(np.zeros(64, np.int32))
add[2, 32](copy, y)
#+ np.testing.assert_array_equal(y.copy_to_host(), np.repeat([1, 2], 32))
