"""A stream reads what another stream writes, with no order between them."""

import numpy as np

from heddle import cuda


@cuda.jit
def double(x, y):
    i = cuda.grid(1)
    y[i] = 2 * x[i]  #! race


x = cuda.to_device(np.arange(64, dtype=np.int32))
y, z = cuda.to_device(np.zeros(64, np.int32)), cuda.to_device(np.zeros(64, np.int32))
first, second = cuda.stream(), cuda.stream()
double[2, 32, first](x, y)
#+ first.synchronize()
double[2, 32, second](y, z)
cuda.synchronize()
#+ np.testing.assert_array_equal(z.copy_to_host(), 4 * np.arange(64))
