"""A histogram of measurements: one atomic addition per value."""

import math

import numpy as np
from numba import cuda


@cuda.jit
def histogram(values, low, high, bins):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    width = (high - low) / bins.shape[0]
    for i in range(start, values.shape[0], step):
        bin_number = math.floor((values[i] - low) / width)
        if bin_number >= 0 and bin_number < bins.shape[0]:
            cuda.atomic.add(bins, bin_number, 1)


rng = np.random.RandomState(7)
data = rng.normal(size=20000).astype(np.float32)
bins = np.zeros(12, dtype=np.int32)
histogram[32, 64](data, np.float32(-3), np.float32(3), bins)
print(bins.sum(), bins.argmax() in (5, 6), (bins[:6] > 50).all())
