"""A launch gets two views that do not overlap."""

import numpy as np

from heddle import cuda


@cuda.jit
def swap(a, b):
    i = cuda.grid(1)
    a[i], b[i] = b[i], a[i]


x = np.arange(128, dtype=np.int32)
swap[2, 32](x[:64], x[64:])
swap[2, 32](x[::2], x[1::2])
want = np.roll(np.arange(128), 64).reshape(64, 2)[:, ::-1].ravel()
np.testing.assert_array_equal(x, want)
