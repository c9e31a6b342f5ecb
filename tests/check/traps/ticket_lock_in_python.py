"""A ticket lock whose turn is read and passed on by atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def append(next, serving, log, count):
    ticket = cuda.atomic.add(next, 0, 1)
    while cuda.atomic.add(serving, 0, 0) != ticket:
        pass
    cuda.threadfence()
    log[count[0]] = ticket
    count[0] += 1
    cuda.threadfence()
    cuda.atomic.add(serving, 0, 1)


next, serving, count = (np.zeros(1, np.int32) for _ in range(3))
log = np.zeros(6, np.int32)
append[6, 1](next, serving, log, count)
assert log.tolist() == list(range(6))
