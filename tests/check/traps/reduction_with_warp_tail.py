"""A tree reduction uses block barriers, then warp barriers in the last warp."""

import numpy as np

from heddle import cuda


@cuda.jit
def block_sums(x, out):
    s = cuda.shared.array(128, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[128 * cuda.blockIdx.x + t]
    cuda.syncthreads()
    half = 64
    while half > 16:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t < 32:
        while half > 0:
            if t < half:
                s[t] += s[t + half]
            cuda.syncwarp()
            half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


x = np.arange(256, dtype=np.int32)
out = np.zeros(2, np.int32)
block_sums[2, 128](x, out)
np.testing.assert_array_equal(out, x.reshape(2, 128).sum(1))
