"""A checkerboard update in place changes one colour per phase."""

import numpy as np

from heddle import cuda


@cuda.jit
def relax(a):
    x, y = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    for colour in range(2):
        if (x + y) % 2 == colour:  #? divergence note
            a[y, x] = (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]) // 4
        cuda.syncthreads()


a = np.arange(100, dtype=np.int32).reshape(10, 10) ** 2
want = a.copy()
relax[1, (8, 8)](a)
y, x = np.mgrid[1:9, 1:9]
for colour in range(2):
    mean = (want[:-2, 1:-1] + want[2:, 1:-1] + want[1:-1, :-2] + want[1:-1, 2:]) // 4
    want[1:-1, 1:-1] = np.where((x + y) % 2 == colour, mean, want[1:-1, 1:-1])
np.testing.assert_array_equal(a, want)
