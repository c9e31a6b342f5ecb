"""A block's sum by shuffles whose distances stand in a list."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def block_sum(values, sums):
    partial = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    lane = cuda.threadIdx.x % 32
    warp = cuda.threadIdx.x // 32
    value = values[i] if i < values.size else float32(0)
    for distance in [16, 8, 4, 2, 1]:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
    if lane == 0:
        partial[warp] = value
    cuda.syncthreads()
    if warp == 0:
        value = partial[lane] if lane < cuda.blockDim.x // 32 else float32(0)
        for distance in [16, 8, 4, 2, 1]:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
        if lane == 0:
            sums[cuda.blockIdx.x] = value


values = np.ones(1000, dtype=np.float32)
sums = np.zeros(4, dtype=np.float32)
block_sum[4, 256](values, sums)
print(sums.tolist())
