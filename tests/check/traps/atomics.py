"""All threads update few elements with atomics, and read them with atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def update(x, sums, seen):
    i = cuda.grid(1)
    cuda.atomic.add(sums, 0, x[i])
    cuda.atomic.max(sums, 1, x[i])
    cuda.atomic.min(sums, 2, x[i])
    cuda.atomic.exch(sums, 3, x[i])
    cuda.atomic.cas(sums, 4, 0, x[i])
    seen[i] = cuda.atomic.add(sums, 0, 0)


x = np.arange(64, dtype=np.int32) + 1
sums, seen = np.array([0, 0, 99, 0, 0], np.int32), np.zeros(64, np.int32)
update[2, 32](x, sums, seen)
assert sums[:3].tolist() == [64 * 65 // 2, 64, 1] and sums[3:].min() > 0 and seen.max() <= sums[0]
