"""A warp publishes a sum in shared memory with an atomic flag and no fence."""

import numpy as np

from heddle import cuda


@cuda.jit
def hand_over(x, out):
    data = cuda.shared.array(1, np.int32)
    flag = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        flag[0] = 0
    cuda.syncthreads()
    if t == 0:
        data[0] = x[0] + x[1]  #! race
        #+ cuda.threadfence_block()
        cuda.atomic.exch(flag, 0, 1)
    elif t == 32:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        out[0] = data[0]  #! race


x = np.array([20, 22], np.int32)
out = np.zeros(1, np.int32)
hand_over[1, 64](x, out)
#+ assert out[0] == 42
