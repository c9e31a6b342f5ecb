"""Threads past the end return before the barriers."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_blocks(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i >= x.size:
        return
    s[t] = x[i]
    cuda.syncthreads()
    count = min(32, x.size - cuda.blockIdx.x * 32)
    out[i] = s[count - 1 - t]


x = np.arange(40, dtype=np.int32)
out = np.zeros(40, np.int32)
reverse_blocks[2, 32](x, out)
np.testing.assert_array_equal(out, np.append(x[31::-1], x[:31:-1]))
