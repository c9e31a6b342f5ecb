"""A kernel with a lock, which two streams share with a plain reader."""

import numpy as np

from heddle import cuda


@cuda.jit
def publish(x, locks):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(locks, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        x[0] += 1  #! race
        cuda.threadfence()
        cuda.atomic.exch(locks, 0, 0)


@cuda.jit
def peek(x, y):
    y[0] = x[0]  #! race


x, y = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(1, np.int32))
locks = cuda.to_device(np.zeros(1, np.int32))
first, second = cuda.stream(), cuda.stream()
publish[4, 32, first](x, locks)
#+ first.synchronize()
peek[1, 1, second](x, y)
cuda.synchronize()
#+ assert y.copy_to_host()[0] == 4
