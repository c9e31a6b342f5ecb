"""Kernels in two streams update a sum under the same lock."""

import numpy as np

from heddle import cuda


@cuda.jit
def add(total, lock, value):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        total[0] += value
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


total, lock = cuda.to_device(np.zeros(1)), cuda.to_device(np.zeros(1, np.int32))
first, second = cuda.stream(), cuda.stream()
add[3, 32, first](total, lock, 1.0)
add[3, 32, second](total, lock, 10.0)
cuda.synchronize()
assert total.copy_to_host()[0] == 33
