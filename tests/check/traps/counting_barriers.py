"""Barriers that count or combine a condition order memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def share(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    odd = cuda.syncthreads_count(x[t] % 2 == 1)
    v = s[63 - t]
    cuda.syncthreads_and(1)
    s[t] = v + odd
    cuda.syncthreads_or(0)
    out[t] = s[t ^ 1]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
share[1, 64](x, out)
np.testing.assert_array_equal(out, (63 - x ^ 1) + 32)
