"""All lanes of a warp read the same element of global and of shared memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def apply_filter(x, weights, out):
    w = cuda.shared.array(16, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if t < 16:
        w[t] = weights[t]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(16):
        total += w[k] * x[i + k] + weights[k]
    out[i] = total


x = np.ones(128 + 16, np.float32)
weights = np.arange(16, dtype=np.float32)
out = np.zeros(128, np.float32)
apply_filter[2, 64](x, weights, out)
np.testing.assert_array_equal(out, np.full(128, 240))
