"""A bitonic sort in global memory has a launch per step."""

import numpy as np

from heddle import cuda


@cuda.jit
def step(x, k, j):
    i = cuda.grid(1)
    other = i ^ j
    if other > i and (x[i] > x[other]) == (i & k == 0):
        x[i], x[other] = x[other], x[i]


x = np.arange(64, dtype=np.int32) * 37 % 64
k = 2
while k <= 64:
    j = k // 2
    while j > 0:
        step[2, 32](x, k, j)
        j //= 2
    k *= 2
np.testing.assert_array_equal(x, np.arange(64))
