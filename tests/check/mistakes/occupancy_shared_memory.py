"""Blocks of 64 threads with 40 KiB of shared memory: five of them fit in a multiprocessor."""

import numpy as np

from heddle import cuda


@cuda.jit
def reverse_blocks(x):
    s = cuda.shared.array(10240, np.int32)  #-
    #+ s = cuda.shared.array(64, np.int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t] = x[i]
    cuda.syncthreads()
    x[i] = s[63 - t]


x = np.arange(4500 * 64, dtype=np.int32)
expected = x.reshape(4500, 64)[:, ::-1].ravel().copy()
reverse_blocks[4500, 64](x)  #! occupancy note
#+ np.testing.assert_array_equal(x, expected)
