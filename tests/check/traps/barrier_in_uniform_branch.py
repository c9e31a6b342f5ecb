"""All threads of a block take the branch that has a barrier, or none does."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_odd_blocks(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if cuda.blockIdx.x % 2 == 1:
        s[t] = x[i]
        cuda.syncthreads()
        out[i] = s[31 - t]
    else:
        out[i] = x[i]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
reverse_odd_blocks[2, 32](x, out)
np.testing.assert_array_equal(out, np.append(x[:32], x[:31:-1]))
