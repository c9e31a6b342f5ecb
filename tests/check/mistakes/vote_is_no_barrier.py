"""A ballot stands where a warp barrier must order shared memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def mix(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    odd = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, x[t] % 2 == 1))
    #+ cuda.syncwarp()
    out[t] = s[31 - t] * odd  #! race


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
mix[1, 32](x, out)
#+ np.testing.assert_array_equal(out, 16 * x[::-1])
