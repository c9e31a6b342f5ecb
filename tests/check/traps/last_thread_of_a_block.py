"""The last warp of a block combines the sums of all warps, by an atomic in shared memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def total_of(x, out):
    sums = cuda.shared.array(4, np.int32)
    done = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        done[0] = 0
    cuda.syncthreads()
    v = cuda.reduce_add_sync(0xFFFFFFFF, x[t])
    if t % 32 == 0:
        sums[t // 32] = v
        cuda.threadfence_block()
        if cuda.atomic.add(done, 0, 1) == 3:
            out[0] = sums[0] + sums[1] + sums[2] + sums[3]


x = np.arange(128, dtype=np.int32)
out = np.zeros(1, np.int32)
total_of[1, 128](x, out)
assert out[0] == x.sum()
