"""Neighbors of an element, and rows that do not start at a sector."""

import numpy as np

from heddle import cuda


@cuda.jit
def smooth(a, out):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        out[y, x] = a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x]


@cuda.jit
def take_pairs(x, out):
    i = cuda.grid(1)
    out[i] = x[2 * i] + x[2 * i + 1]


a = np.ones((33, 45), np.float32)
out = np.zeros_like(a)
smooth[(3, 5), (16, 8)](a, out)
assert out[1:-1, 1:-1].min() == 4
pairs = np.zeros(64, np.float32)
take_pairs[2, 32](np.ones(128, np.float32), pairs)
np.testing.assert_array_equal(pairs, np.full(64, 2))
