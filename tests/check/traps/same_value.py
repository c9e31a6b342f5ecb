"""All threads that find a value store the same flag, which they read after a barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def contains(x, value, found):
    flag = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        flag[0] = 0
    cuda.syncthreads()
    if x[t] == value:
        flag[0] = 1  #! race note
    cuda.syncthreads()
    if t == 0:
        found[0] = flag[0]


x = np.arange(64, dtype=np.int32) % 10
found = np.zeros(1, np.int32)
contains[1, 64](x, 7, found)
assert found[0] == 1
