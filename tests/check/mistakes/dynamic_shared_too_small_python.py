"""The launch asks for shared memory in elements, not in bytes."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse(x, out):
    s = cuda.shared.array(0, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]  #! bounds
    cuda.syncthreads()
    out[t] = s[63 - t]  #! bounds


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
reverse[1, 64, 0, 64](x, out)  #-
#+ reverse[1, 64, 0, 256](x, out)
#+ np.testing.assert_array_equal(out, x[::-1])
