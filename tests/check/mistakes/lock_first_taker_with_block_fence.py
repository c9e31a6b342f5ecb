"""Of two blocks that share a lock, the one that takes it first executes a fence for its block only."""

import numpy as np

from heddle import cuda


@cuda.jit
def write_both(lock, data):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    if cuda.blockIdx.x == 0:
        cuda.threadfence_block()  #-
        #+ cuda.threadfence()
        data[0] = 1  #! race
    else:
        cuda.threadfence()
        data[0] = 2  #! race
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


lock, data = np.zeros(1, np.int32), np.zeros(1, np.int32)
write_both[2, 1](lock, data)
assert data[0] in (1, 2)
