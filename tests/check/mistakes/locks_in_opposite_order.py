"""Two threads take two locks in opposite orders, and each waits for the other one."""

import numpy as np

from heddle import cuda


@cuda.jit
def move(locks, x):
    first = cuda.blockIdx.x  #-
    #+ first = 0
    second = 1 - first
    while cuda.atomic.cas(locks, first, 0, 1) != 0:  #? barrier #-
    #+ while cuda.atomic.cas(locks, first, 0, 1) != 0:
        pass
    arrived = cuda.atomic.add(locks, 2, 1)
    while cuda.atomic.add(locks, 2, 0) < 2 and arrived >= 0:  #-
        pass  #-
    while cuda.atomic.cas(locks, second, 0, 1) != 0:  #! barrier #-
    #+ while cuda.atomic.cas(locks, second, 0, 1) != 0:
        pass
    cuda.threadfence()
    x[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(locks, second, 0)
    cuda.atomic.exch(locks, first, 0)


locks, x = np.zeros(3, np.int32), np.zeros(1, np.int32)
move[2, 1](locks, x)
#+ np.testing.assert_array_equal(x, 2)
