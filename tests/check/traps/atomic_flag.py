"""A producer publishes data with a fence and an atomic exchange, and the consumer polls atomically."""

import numpy as np

from heddle import cuda


@cuda.jit
def hand_over(x, flag, data, out):
    if cuda.blockIdx.x == 0:
        data[0] = x[0] * x[1]
        data[1] = x[0] + x[1]
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    else:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
        cuda.threadfence()
        out[0] = data[0] - data[1]


x = np.array([6, 7], np.int32)
flag, data, out = (np.zeros(n, np.int32) for n in (1, 2, 1))
hand_over[2, 1](x, flag, data, out)
assert out[0] == 29
