"""Launches in the default stream come after those in all blocking streams, and before later ones."""

import numpy as np

from heddle import cuda


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


x = cuda.to_device(np.zeros(64, np.int32))
first, second = cuda.stream(), cuda.stream()
add[2, 32, first](x, 1)
add[2, 32](x, 2)
add[2, 32, second](x, 3)
add[2, 32](x, 4)
add[2, 32, first](x, 5)
np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 15))
