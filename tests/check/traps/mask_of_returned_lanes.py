"""Masks name lanes that have returned, or that skip a branch at the end of the kernel."""

import numpy as np

from heddle import cuda


@cuda.jit
def count_odd(x, out):
    t = cuda.threadIdx.x
    if t >= 24:
        return
    odd = cuda.ballot_sync(0xFFFFFFFF, x[t] % 2 == 1)
    if t < 20:
        out[t] = cuda.popc(odd) + cuda.shfl_sync(0xFFFFFFFF, t, 3)


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
count_odd[1, 32](x, out)
np.testing.assert_array_equal(out, np.where(x < 20, 15, 0))
