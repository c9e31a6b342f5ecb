"""Two slices of dynamic shared memory overlap by half."""

import numpy as np

from heddle import cuda


@cuda.jit
def combine(x, y, out):
    memory = cuda.shared.array(0, np.int32)
    t = cuda.threadIdx.x
    first = memory[:64]
    second = memory[32:]  #-
    #+ second = memory[64:]
    first[t] = x[t]  #! race
    second[t] = y[t]  #! race
    cuda.syncthreads()
    out[t] = first[63 - t] + second[63 - t]


x = np.arange(64, dtype=np.int32)
y = x * 100
out = np.zeros(64, np.int32)
combine[1, 64, 0, 512](x, y, out)
#+ np.testing.assert_array_equal(out, (x + y)[::-1])
