"""A block barrier orders accesses to global memory within a block."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_blocks(x):
    t = cuda.threadIdx.x
    start = 32 * cuda.blockIdx.x
    v = x[start + 31 - t]
    cuda.syncthreads()
    x[start + t] = v + 1
    cuda.syncthreads()
    w = x[start + (t + 1) % 32]
    cuda.syncthreads()
    x[start + t] = w


x = np.arange(64, dtype=np.int32)
reverse_blocks[2, 32](x)
want = np.arange(64).reshape(2, 32)[:, ::-1] + 1
np.testing.assert_array_equal(x.reshape(2, 32), np.roll(want, -1, 1))
