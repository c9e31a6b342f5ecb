"""A stream waits for an event that was recorded before the launch that it needs."""

import numpy as np

from heddle import cuda


@cuda.jit
def fill(x, value):
    i = cuda.grid(1)
    x[i] = value  #! race


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    y[i] += x[i]  #! race


x, y = cuda.to_device(np.zeros(64, np.float32)), cuda.to_device(np.ones(64, np.float32))
producer, consumer, ready = cuda.stream(), cuda.stream(), cuda.event()
ready.record(producer)  #-
fill[2, 32, producer](x, 5)
#+ ready.record(producer)
ready.wait(consumer)
add[2, 32, consumer](x, y)
consumer.synchronize()
#+ np.testing.assert_array_equal(y.copy_to_host(), np.full(64, 6))
