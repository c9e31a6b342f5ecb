"""A thread looks at many flags in a loop and writes nothing, while all others wait for it."""

import numpy as np

from heddle import cuda, int32


@cuda.jit
def find_first(x, out):
    flags = cuda.shared.array(12000, int32)
    t = cuda.threadIdx.x
    for i in range(t, 12000, cuda.blockDim.x):
        flags[i] = x[i]
    cuda.syncthreads()
    if t == 0:
        i = 0
        while i < 12000:
            if flags[i] != 0:
                i += 1
            elif flags[11999] == 0:
                break
        out[0] = i
    cuda.syncthreads()
    out[t + 1] = flags[t]


x = np.ones(12000, np.int32)
x[-1] = 0
out = np.zeros(65, np.int32)
find_first[1, 64](x, out)
np.testing.assert_array_equal(out[:2], [11999, 1])
