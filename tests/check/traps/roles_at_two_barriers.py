"""One warp produces and the other consumes, at two barriers of the block."""

import numpy as np

from heddle import cuda


@cuda.jit
def relay(x, out):
    buffer = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    lane = t % 32
    total = 0
    for step in range(4):
        if t < 32:
            buffer[lane] = x[32 * step + lane]
        cuda.syncthreads()
        if t >= 32:
            total += buffer[31 - lane]
        cuda.syncthreads()
    if t >= 32:
        out[lane] = total


x = np.arange(128, dtype=np.int32)
out = np.zeros(32, np.int32)
relay[1, 64](x, out)
np.testing.assert_array_equal(out, x.reshape(4, 32).sum(0)[::-1])
