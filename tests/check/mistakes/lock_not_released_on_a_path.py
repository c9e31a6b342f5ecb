"""A thread that finds nothing to do returns with the lock."""

import numpy as np

from heddle import cuda, int32


@cuda.jit
def total(x, out):
    lock = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        lock[0] = 0
    cuda.syncthreads()
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:  #! barrier #-
    #+ while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence_block()
    if x[t] == 0:
        #+ cuda.threadfence_block()
        #+ cuda.atomic.exch(lock, 0, 0)
        return
    out[0] += x[t]
    cuda.threadfence_block()
    cuda.atomic.exch(lock, 0, 0)


x = np.arange(64, dtype=np.int32) % 8
out = np.zeros(1, np.int32)
total[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x.sum())
