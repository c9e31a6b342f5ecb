"""Two streams work on one array, each on the half that an argument selects."""

import numpy as np

from heddle import cuda


@cuda.jit
def increment(x, start, count):
    i = cuda.grid(1)
    if i < count:
        x[start + i] += start + i


x = cuda.to_device(np.zeros(101, np.int32))
first, second = cuda.stream(), cuda.stream()
for _ in range(3):
    increment[2, 32, first](x, 0, 50)
    increment[2, 32, second](x, 50, 51)
cuda.synchronize()
np.testing.assert_array_equal(x.copy_to_host(), 3 * np.arange(101))
