"""A warp overwrites its buffer while other lanes may still read it."""

import numpy as np

from heddle import cuda


@cuda.jit
def two_turns(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    turned = s[(t + 1) % 32]  #! race
    #+ cuda.syncwarp()
    s[t] = turned  #! race
    cuda.syncwarp()
    out[t] = s[(t + 1) % 32]


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
two_turns[1, 32](x, out)
#+ np.testing.assert_array_equal(out, (x + 2) % 32)
