"""Two streams each work on a half of an array, but the halves share an element."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(x, start, count):
    i = cuda.grid(1)
    if i < count:
        x[start + i] = 0.5 * x[start + i]  #! race


x = cuda.to_device(np.ones(100))
first, second = cuda.stream(), cuda.stream()
smooth[2, 32, first](x, 0, 51)  #-
#+ smooth[2, 32, first](x, 0, 50)
smooth[2, 32, second](x, 50, 50)
cuda.synchronize()
#+ np.testing.assert_array_equal(x.copy_to_host(), np.full(100, 0.5))
