"""An index comes from an element that nobody has written."""

import numpy as np

from heddle import cuda


@cuda.jit
def gather(x, out, n):
    place = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < n:
        place[t] = 31 - t
    cuda.syncthreads()
    out[t] = x[place[t]]  #! uninit #? bounds #-
    #+ out[t] = x[place[t]]


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
gather[1, 32](x, out, 24)  #-
#+ gather[1, 32](x, out, 32)
#+ np.testing.assert_array_equal(out, x[::-1])
