"""A consumer reads the data without waiting for the producer's flag."""

import numpy as np

from heddle import cuda


@cuda.jit
def hand_over(x, flag, data, out):
    if cuda.blockIdx.x == 0:
        data[0] = x[0] * x[1]  #! race
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    else:
        #+ while cuda.atomic.add(flag, 0, 0) == 0:
        #+     pass
        out[0] = data[0]  #! race


x = np.array([6, 7], np.int32)
flag, data, out = (np.zeros(1, np.int32) for _ in range(3))
hand_over[2, 1](x, flag, data, out)
#+ assert out[0] == 42
