"""A callback tells the host that a stream's work is done, before the host launches in another stream."""

import threading

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


x = cuda.to_device(np.zeros(64, np.int32))
first, second, done = cuda.stream(), cuda.stream(), threading.Event()
add[2, 32, first](x, 1)
first.add_callback(lambda stream, status, arg: done.set())
done.wait()
add[2, 32, second](x, 1)
cuda.synchronize()
np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 2))
