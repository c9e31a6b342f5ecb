"""Two streams write the even and the odd bytes of one array."""

import numpy as np

from heddle import cuda


@cuda.jit
def fill(x, start):
    i = start + 2 * cuda.grid(1)
    if i < x.size:
        x[i] = i


x = cuda.device_array(99, np.uint8)
even, odd = cuda.stream(), cuda.stream()
fill[2, 32, even](x, 0)
fill[2, 32, odd](x, 1)
cuda.synchronize()
np.testing.assert_array_equal(x.copy_to_host(), np.arange(99))
