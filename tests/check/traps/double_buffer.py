"""A pipeline of two buffers needs one barrier per step."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    s = cuda.shared.array((2, 32), np.int32)
    t = cuda.threadIdx.x
    total = 0
    for step in range(x.size // 32):
        s[step % 2, t] = x[32 * step + t]
        cuda.syncthreads()
        total += s[step % 2, 31 - t]
    out[t] = total


x = np.arange(160, dtype=np.int32)
out = np.zeros(32, np.int32)
sums[1, 32](x, out)
np.testing.assert_array_equal(out, x.reshape(5, 32).sum(0)[::-1])
