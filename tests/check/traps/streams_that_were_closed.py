"""The default stream also waits for the work of a stream that the program has dropped."""

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


def add_in_new_stream(x):
    add[2, 32, cuda.stream()](x, 1)


x = cuda.to_device(np.zeros(64, np.int32))
for _ in range(4):
    add_in_new_stream(x)
    add[2, 32](x, 1)
np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 8))
