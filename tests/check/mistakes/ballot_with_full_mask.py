"""A ballot in a branch names all lanes of the warp."""

import numpy as np

from heddle import cuda


@cuda.jit
def count_odd(x, out):
    t = cuda.threadIdx.x
    odd = 0
    if t < 20:
        odd = cuda.ballot_sync(0xFFFFFFFF, x[t] % 2 == 1)  #! warp #-
        #+ odd = cuda.ballot_sync(0xFFFFF, x[t] % 2 == 1)
    out[t] = cuda.popc(odd)


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
count_odd[1, 32](x, out)
#+ np.testing.assert_array_equal(out, np.where(x < 20, 10, 0))
