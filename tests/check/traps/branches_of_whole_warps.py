"""All lanes of a warp take the same branch, and iterate equally often."""

import numpy as np

from heddle import cuda


@cuda.jit
def work(x, out):
    i = cuda.grid(1)
    warp = cuda.threadIdx.x // 32
    v = x[i]
    if warp % 2 == 0:
        for _ in range(40):
            v = v * np.float32(0.5) + np.float32(1)
    else:
        for _ in range(10 * (warp + cuda.blockIdx.x)):
            v = v * v
    out[i] = v


x, out = np.ones(512, np.float32), np.zeros(512, np.float32)
work[2, 256](x, out)
np.testing.assert_allclose(out[32:64], 1)
