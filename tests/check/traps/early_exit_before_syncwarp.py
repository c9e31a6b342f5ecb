"""Lanes return before a warp barrier of the full mask, for which they do not count."""

import numpy as np

from heddle import cuda


@cuda.jit
def rotate(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t >= x.size:
        return
    s[t] = x[t]
    cuda.syncwarp()
    out[t] = s[(t + 1) % x.size]


x = np.arange(20, dtype=np.int32)
out = np.zeros(20, np.int32)
rotate[1, 32](x, out)
np.testing.assert_array_equal(out, np.roll(x, -1))
