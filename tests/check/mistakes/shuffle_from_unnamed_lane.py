"""A shuffle reads a lane that its mask does not name."""

import numpy as np

from heddle import cuda


@cuda.jit
def spread(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_sync(0xFFFF, x[t], 20)  #! warp #-
        #+ out[t] = cuda.shfl_sync(0xFFFF, x[t], 12)


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
spread[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.where(x < 16, 12, 0))
