"""A moving mean of every row, by a generalized ufunc; its rows and windows are broadcast."""

import numpy as np
from numba import float64, guvectorize, int64


@guvectorize([(float64[:], int64[:], float64[:])], "(n),()->(n)")
def moving_mean(values, window, out):
    width = window[0]
    total = 0.0
    for i in range(width):
        total += values[i]
        out[i] = total / (i + 1)
    for i in range(width, len(values)):
        total += values[i] - values[i - width]
        out[i] = total / width


rows = np.arange(10, dtype=np.float64).reshape(2, 5)
print(moving_mean(rows, 3).tolist())
print(moving_mean(rows[0], [1, 2])[1].tolist())
