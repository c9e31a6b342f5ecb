"""A scan in one buffer reads, waits, writes and waits."""

import numpy as np

from heddle import cuda


@cuda.jit
def scan(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    distance = 1
    while distance < 64:
        other = s[t - distance] if t >= distance else 0
        cuda.syncthreads()
        s[t] += other
        cuda.syncthreads()
        distance *= 2
    out[t] = s[t]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
scan[1, 64](x, out)
np.testing.assert_array_equal(out, np.cumsum(x))
