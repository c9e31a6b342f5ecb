"""A lock is taken by an exchange, with no fence before the critical section."""

import numpy as np

from heddle import cuda


@cuda.jit
def add_all(x, lock, total):
    while cuda.atomic.exch(lock, 0, 1) != 0:
        pass
    #+ cuda.threadfence()
    total[0] += x[cuda.blockIdx.x]  #! race
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


x = np.arange(6, dtype=np.int32)
lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
add_all[6, 1](x, lock, total)
#+ assert total[0] == 15
