"""Half of a warp votes with the full mask while the other half waits at a barrier of the block."""

import numpy as np

from heddle import cuda


@cuda.jit
def agree(x, out):
    s = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        all = cuda.all_sync(0xFFFFFFFF, x[t] > 0)  #! warp #-
        #+ all = cuda.all_sync(0xFFFF, x[t] > 0)
        if t == 0:
            s[0] = all
    cuda.syncthreads()  #? warp
    out[t] = s[0]


x = np.arange(32, dtype=np.int32) + 1
out = np.zeros(32, np.int32)
agree[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.ones(32))
