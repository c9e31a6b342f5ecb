"""A block exchanges complex values with no barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def conjugate_pairs(x, out):
    s = cuda.shared.array(64, np.complex64)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! race
    #+ cuda.syncthreads()
    out[t] = s[63 - t].conjugate()  #! race


x = (np.arange(64) + 2j).astype(np.complex64)
out = np.zeros(64, np.complex64)
conjugate_pairs[1, 64](x, out)
#+ np.testing.assert_array_equal(out, x[::-1].conj())
