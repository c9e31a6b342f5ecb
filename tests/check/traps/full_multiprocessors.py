"""Large launches that fill a GPU; the last warp of a block of 1000 threads hardly matters."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_blocks(x):
    s = cuda.shared.array(1024, np.int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < x.size:
        s[t] = x[i]
    cuda.syncthreads()
    if i < x.size:
        x[i] = s[cuda.blockDim.x - 1 - t]


x = np.arange(300_000, dtype=np.int32)
reverse_blocks[300, 1000](x)
reverse_blocks[300, 1000](x)
reverse_blocks[2500, 120](x)
reverse_blocks[2500, 120](x)
np.testing.assert_array_equal(x, np.arange(300_000))
