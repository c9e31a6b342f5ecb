"""All threads read the same elements of an array that nobody writes."""

import numpy as np

from heddle import cuda


@cuda.jit
def weighted(x, weights, out):
    i = cuda.grid(1)
    total = 0
    for j in range(weights.size):
        total += weights[j] * x[(i + j) % x.size]
    out[i] = total + weights[0]


x, weights = np.arange(64, dtype=np.int32), np.array([1, 2, 3], np.int32)
out = np.zeros(64, np.int32)
weighted[2, 32](x, weights, out)
np.testing.assert_array_equal(out, x + 2 * np.roll(x, -1) + 3 * np.roll(x, -2) + 1)
