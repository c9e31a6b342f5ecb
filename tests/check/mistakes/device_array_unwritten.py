"""A kernel adds to an array that was allocated, but never filled."""

import numpy as np

from heddle import cuda


@cuda.jit
def accumulate(x, out):
    i = cuda.grid(1)
    out[i] += x[i]  #! uninit


x = cuda.to_device(np.arange(64, dtype=np.int32))
out = cuda.device_array(64, np.int32)  #-
#+ out = cuda.to_device(np.zeros(64, np.int32))
accumulate[2, 32](x, out)
#+ np.testing.assert_array_equal(out.copy_to_host(), np.arange(64))
