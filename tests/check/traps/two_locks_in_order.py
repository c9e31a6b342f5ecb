"""Transfers between accounts take the locks of both, in increasing order."""

import numpy as np

from heddle import cuda


@cuda.jit
def transfer(source, target, amount, locks, balance):
    i = cuda.blockIdx.x
    low, high = min(source[i], target[i]), max(source[i], target[i])
    while cuda.atomic.cas(locks, low, 0, 1) != 0:
        pass
    while cuda.atomic.cas(locks, high, 0, 1) != 0:
        pass
    cuda.threadfence()
    balance[source[i]] -= amount[i]
    balance[target[i]] += amount[i]
    cuda.threadfence()
    cuda.atomic.exch(locks, high, 0)
    cuda.atomic.exch(locks, low, 0)


source, target = np.array([0, 1, 2, 2], np.int32), np.array([1, 2, 0, 1], np.int32)
amount, locks = np.array([5, 3, 1, 2], np.int32), np.zeros(3, np.int32)
balance = np.full(3, 10, np.int32)
transfer[4, 1](source, target, amount, locks, balance)
assert balance.tolist() == [6, 14, 10]
