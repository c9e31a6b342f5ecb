"""The largest value falls into a bin past the last one."""

import numpy as np

from heddle import cuda


@cuda.jit
def histogram(x, h):
    i = cuda.grid(1)
    b = int(x[i] * h.size)
    #+ b = min(b, h.size - 1)
    cuda.atomic.add(h, b, 1)  #! bounds


x = np.linspace(0, 1, 33).astype(np.float32)
h = np.zeros(8, np.int32)
histogram[1, 33](x, h)
#+ np.testing.assert_array_equal(h, [4, 4, 4, 4, 4, 4, 4, 5])
