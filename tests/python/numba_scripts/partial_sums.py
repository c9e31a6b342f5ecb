import numba
import numpy as np
from numba import cuda

threads_per_block = 256
blocks_per_grid = 32 * 20


# Each block leaves one partial sum, a second launch adds these up.
@cuda.jit
def reduce_better(array, partial_reduction):
    i_start = cuda.grid(1)
    threads_per_grid = cuda.blockDim.x * cuda.gridDim.x
    s_thread = 0.0
    for i_arr in range(i_start, array.size, threads_per_grid):
        s_thread += array[i_arr]

    s_block = cuda.shared.array((threads_per_block,), numba.float32)
    tid = cuda.threadIdx.x
    s_block[tid] = s_thread
    cuda.syncthreads()

    i = cuda.blockDim.x // 2
    while i > 0:
        if tid < i:
            s_block[tid] += s_block[tid + i]
        cuda.syncthreads()
        i //= 2

    if tid == 0:
        partial_reduction[cuda.blockIdx.x] = s_block[0]


@cuda.jit
def reduce_atomic(array, out):
    s_block = cuda.shared.array(1, numba.float64)
    if cuda.threadIdx.x == 0:
        s_block[0] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), array.size, cuda.gridsize(1)):
        cuda.atomic.add(s_block, 0, array[i])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(out, 0, s_block[0])


n = 100_000
a = np.ones(n, dtype=np.float32)
dev_a = cuda.to_device(a)
dev_partial = cuda.device_array((blocks_per_grid,), dtype=a.dtype)
dev_total = cuda.device_array((1,), dtype=np.float32)

reduce_better[blocks_per_grid, threads_per_block](dev_a, dev_partial)
reduce_better[1, threads_per_block](dev_partial, dev_total)
cuda.synchronize()
print(dev_total.copy_to_host()[0])

total = cuda.to_device(np.zeros(1))
reduce_atomic[blocks_per_grid, threads_per_block](dev_a, total)
print(total.copy_to_host().item())
