"""Both sides of a branch exchange values, each with the mask of its lanes."""

import numpy as np

from heddle import cuda


@cuda.jit
def broadcast(x, out):
    t = cuda.threadIdx.x
    small = cuda.ballot_sync(0xFFFFFFFF, x[t] < 10)
    if x[t] < 10:
        first = cuda.ffs(small) - 1
        out[t] = cuda.shfl_sync(small, x[t], first)
    else:
        large = small ^ 0xFFFFFFFF
        first = cuda.ffs(large) - 1
        out[t] = cuda.shfl_sync(large, x[t], first)


x = (np.arange(32, dtype=np.int32) * 7 + 3) % 20
out = np.zeros(32, np.int32)
broadcast[1, 32](x, out)
np.testing.assert_array_equal(out, np.where(x < 10, x[x < 10][0], x[x >= 10][0]))
