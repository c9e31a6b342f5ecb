"""A block publishes a value and sets a flag by stwt, which ldcv reads, without a fence."""

import numpy as np

from heddle import cuda


@cuda.jit
def add_up(x, flags, sums):
    block = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        total = x[block]
        if block > 0:
            while cuda.ldcv(flags, block - 1) == 0:
                pass
            cuda.threadfence()
            total += sums[block - 1]  #! race
        sums[block] = total  #! race
        #+ cuda.threadfence()
        cuda.stwt(flags, block, 1)


x = cuda.to_device(np.arange(1, 9))
flags, sums = cuda.to_device(np.zeros(8, np.int32)), cuda.to_device(np.zeros(8, np.int64))
add_up[8, 32](x, flags, sums)
#+ np.testing.assert_array_equal(sums.copy_to_host(), np.cumsum(np.arange(1, 9)))
