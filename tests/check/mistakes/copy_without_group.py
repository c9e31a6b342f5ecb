"""A thread waits for its groups of copies, but its copy is in no group."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x, out):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    cuda.pipeline.memcpy_async(tile, i, x, i)  #! race
    #+ cuda.pipeline.commit()
    cuda.pipeline.wait_prior(0)
    cuda.syncthreads()
    out[i] = tile[63 - i]  #! race


x, out = np.arange(64, dtype="f"), np.zeros(64, "f")
reverse[1, 64](x, out)
np.testing.assert_array_equal(out, x[::-1])
