"""A warp that produces and a warp that consumes wait in different lines, equally often."""

import numpy as np

from heddle import cuda


@cuda.jit
def relay(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 32:
        for step in range(3):
            s[t] = x[step, t]
            cuda.syncthreads()
            cuda.syncthreads()
    else:
        total = 0
        for step in range(3):
            cuda.syncthreads()
            total += s[63 - t]
            cuda.syncthreads()
        out[t - 32] = total


x = np.arange(96, dtype=np.int32).reshape(3, 32)
out = np.zeros(32, np.int32)
relay[1, 64](x, out)
np.testing.assert_array_equal(out, x.sum(0)[::-1])
