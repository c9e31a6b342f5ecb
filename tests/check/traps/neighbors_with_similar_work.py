"""Trip counts grow slowly from thread to thread, or differ only between warps."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_triangle(a, sums):
    i = cuda.grid(1)
    total = 0
    for k in range(i):
        total += a[k, i]
    sums[i] = total


@cuda.jit
def count_steps(c, steps):
    i = cuda.grid(1)
    v, n = np.float32(0), 0
    while v < 4 and n < 60:
        v = v * v + c[i]
        n += 1
    steps[i] = n


a = np.ones((128, 128), np.int64)
sums = np.zeros(128, np.int64)
sum_triangle[1, 128](a, sums)
np.testing.assert_array_equal(sums, np.arange(128))
steps = np.zeros(256, np.int64)
count_steps[1, 256](np.linspace(0, 2, 256, dtype=np.float32), steps)
assert steps[0] == 60 and steps[255] == 2
