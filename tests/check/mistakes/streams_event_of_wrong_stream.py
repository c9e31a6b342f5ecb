"""An event is recorded in another stream than the one whose work is needed."""

import numpy as np

from heddle import cuda


@cuda.jit
def square(x):
    i = cuda.grid(1)
    x[i] *= x[i]  #! race


@cuda.jit
def reverse(x, y):
    i = cuda.grid(1)
    y[i] = x[x.size - 1 - i]  #! race


x, y = cuda.to_device(np.arange(32, dtype=np.int64)), cuda.device_array(32, np.int64)
compute, copies, event = cuda.stream(), cuda.stream(), cuda.event()
square[1, 32, compute](x)
event.record(copies)  #-
#+ event.record(compute)
event.wait(copies)
reverse[1, 32, copies](x, y)
cuda.synchronize()
#+ np.testing.assert_array_equal(y.copy_to_host(), np.arange(32)[::-1] ** 2)
