"""Each block also writes the first cell of the next block."""

import numpy as np

from heddle import cuda


@cuda.jit
def upsample(x, out):
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * 32
    j = t
    while j <= 32:  #-
    #+ while j < 32:
        if start + j < out.size:
            out[start + j] = x[start // 2 + j // 2] + cuda.blockIdx.x  #! race
        j += cuda.blockDim.x


x = np.arange(48, dtype=np.int32)
out = np.zeros(96, np.int32)
upsample[3, 16](x, out)
#+ np.testing.assert_array_equal(out, np.repeat(x, 2) + np.arange(96) // 32)
