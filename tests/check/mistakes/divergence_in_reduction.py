"""The active threads of a reduction are far apart, so that nearly all warps run to the last step."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_blocks(x, sums):
    s = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    step = 1
    while step < 256:
        cuda.syncthreads()
        if t % (2 * step) == 0:  #! divergence note #-
            s[t] += s[t + step]  #? bank-conflict note #-
        #+ if t < 128 // step:
        #+     s[t] += s[t + 128 // step]
        step *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


x = np.arange(512, dtype=np.float32)
sums = np.zeros(2, np.float32)
sum_blocks[2, 256](x, sums)
#+ np.testing.assert_array_equal(sums, x.reshape(2, 256).sum(axis=1))
