"""A stream waits for an event of another one before it reads its results."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x, y):
    i = cuda.grid(1)
    y[i] = 2 * x[i]


x = cuda.to_device(np.arange(64, dtype=np.int32))
y, z = cuda.to_device(np.zeros(64, np.int32)), cuda.to_device(np.zeros(64, np.int32))
first, second, event = cuda.stream(), cuda.stream(), cuda.event()
double[2, 32, first](x, y)
event.record(first)
event.wait(second)
double[2, 32, second](y, z)
second.synchronize()
np.testing.assert_array_equal(z.copy_to_host(), 4 * np.arange(64))
