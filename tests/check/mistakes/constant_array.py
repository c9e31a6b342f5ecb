"""An index exceeds an array of constants."""

import numpy as np

from heddle import cuda

table = np.array([2, 3, 5, 7], np.int32)


@cuda.jit
def primes(x, out):
    i = cuda.grid(1)
    constants = cuda.const.array_like(table)
    out[i] = constants[x[i]]  #! bounds #-
    #+ out[i] = constants[x[i] % 4]


x = np.arange(32, dtype=np.int32) % 5
out = np.zeros(32, np.int32)
primes[1, 32](x, out)
#+ np.testing.assert_array_equal(out, table[x % 4])
