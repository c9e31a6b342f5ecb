"""A butterfly starts at a distance that the block of 16 threads does not have."""

import numpy as np

from heddle import cuda


@cuda.jit
def sums(x, out):
    t = cuda.threadIdx.x
    v = x[t]
    distance = 16  #-
    #+ distance = 8
    while distance > 0:
        v += cuda.shfl_xor_sync(0xFFFFFFFF, v, distance)  #! warp
        distance //= 2
    out[t] = v


x = np.arange(16, dtype=np.int32)
out = np.zeros(16, np.int32)
sums[1, 16](x, out)
#+ np.testing.assert_array_equal(out, np.full(16, 120))
