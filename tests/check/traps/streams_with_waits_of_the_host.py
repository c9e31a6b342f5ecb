"""The host waits for a stream, for an event, for all streams, or until a query says that work is done."""

import time

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


x = cuda.to_device(np.zeros(64, np.int32))
first, second, event = cuda.stream(), cuda.stream(), cuda.event()
add[2, 32, first](x, 1)
first.synchronize()
add[2, 32, second](x, 1)
event.record(second)
event.synchronize()
add[2, 32, first](x, 1)
cuda.synchronize()
add[2, 32, second](x, 1)
while not second.query():
    time.sleep(0.001)
add[2, 32, first](x, 1)
event.record(first)
while not event.query():
    time.sleep(0.001)
add[2, 32, second](x, 1)
second.synchronize()
np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 6))
