"""A thread starts to copy the next tile while others still read the old one."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    tile = cuda.shared.array(64, np.int32)
    i, total = cuda.threadIdx.x, 0
    for row in range(x.shape[0]):
        cuda.pipeline.memcpy_async(tile, i, x, (row, i))  #! race
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(0)
        cuda.syncthreads()
        total += tile[63 - i]  #! race
        #+ cuda.syncthreads()
    out[i] = total


x, out = np.arange(320, dtype=np.int32).reshape(5, 64), np.zeros(64, np.int32)
sums[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x.sum(0)[::-1])
