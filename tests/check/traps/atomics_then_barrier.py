"""After a barrier, threads read plainly what atomics of their block wrote."""

import numpy as np

from heddle import cuda


@cuda.jit
def shares(x, out):
    s = cuda.shared.array(4, np.int32)
    t = cuda.threadIdx.x
    if t < 4:
        s[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, t % 4, x[t])
    cuda.syncthreads()
    out[t] = s[t % 4] - x[t]
    cuda.syncthreads()
    if t < 4:
        s[t] = -1


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
shares[1, 64](x, out)
np.testing.assert_array_equal(out, np.tile(x.reshape(16, 4).sum(0), 16) - x)
