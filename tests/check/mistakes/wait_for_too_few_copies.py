"""A pipeline of two stages waits for all groups but the last two: the tile that it reads may still be in flight."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    tiles = cuda.shared.array((2, 64), np.int32)
    i, total = cuda.threadIdx.x, 0
    cuda.pipeline.memcpy_async(tiles, (0, i), x, (0, i))  #! race
    cuda.pipeline.commit()
    for row in range(x.shape[0]):
        if row + 1 < x.shape[0]:
            cuda.pipeline.memcpy_async(tiles, ((row + 1) % 2, i), x, (row + 1, i))  #! race
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(2)  #-
        #+ cuda.pipeline.wait_prior(1)
        cuda.syncthreads()
        total += tiles[row % 2, 63 - i]  #! race
        cuda.syncthreads()
    out[i] = total


x, out = np.arange(320, dtype=np.int32).reshape(5, 64), np.zeros(64, np.int32)
sums[1, 64](x, out)
np.testing.assert_array_equal(out, x.sum(0)[::-1])
