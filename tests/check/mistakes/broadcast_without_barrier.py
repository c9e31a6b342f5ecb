"""All threads read a shared value that thread 0 writes, with no barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def shift(x, out):
    low = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t == 0:
        low[0] = x[i]  #! race
    #+ cuda.syncthreads()
    out[i] = x[i] - low[0]  #! race


x = np.arange(128, dtype=np.int32) ** 2
out = np.zeros(128, np.int32)
shift[4, 32](x, out)
#+ np.testing.assert_array_equal(out, (x.reshape(4, 32) - x[::32, None]).ravel())
