"""Thread 0 resets the shared flag of a loop before all threads have read it."""

import numpy as np

from heddle import cuda


@cuda.jit
def settle(x):
    changed = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    while True:
        if t == 0:
            changed[0] = 0  #! race
        cuda.syncthreads()
        if x[t] > 4:
            x[t] //= 2
            cuda.atomic.max(changed, 0, 1)
        cuda.syncthreads()
        again = changed[0]  #! race
        #+ cuda.syncthreads()
        if again == 0:
            break


x = np.arange(64, dtype=np.int32)
settle[1, 64](x)
#+ assert x.max() == 4 and x.min() == 0
