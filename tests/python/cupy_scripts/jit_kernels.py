import cupy
import numpy as np
from cupyx import jit


@jit.rawkernel(device=True)
def square(value):
    return value * value


@jit.rawkernel()
def sum_of_squares(x, y, size):
    first = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    total = cupy.float32(0)
    for i in range(first, size, jit.blockDim.x * jit.gridDim.x):
        total += square(x[i])
    partial = jit.shared_memory(cupy.float32, 128)
    partial[jit.threadIdx.x] = total
    jit.syncthreads()
    if jit.threadIdx.x == cupy.uint32(0):
        total = cupy.float32(0)
        for i in jit.range(jit.blockDim.x, unroll=4):
            total += partial[i]
        jit.atomic_add(y, 0, total)


@jit.rawkernel()
def reversed_blocks(x, y):
    i = jit.grid(1)
    block = jit.shared_memory(np.int32, None)
    block[jit.threadIdx.x] = x[i]
    jit.syncthreads()
    y[i] = block[jit.blockDim.x - jit.threadIdx.x - 1]


@jit.rawkernel()
def warp_sums(x, sums):
    i, width = jit.grid(1), jit.gridsize(1)
    value = x[i]
    value += jit.cg.this_thread_block().group_index().x
    for step in (16, 8, 4, 2, 1):
        value += jit.shfl_down_sync(0xFFFFFFFF, value, step, width=32)
    if jit.laneid() == 0 and i < width:
        sums[i // jit.warpsize] = value


x = cupy.arange(1000, dtype=cupy.float32) % 7
y = cupy.zeros(1, dtype=cupy.float32)
sum_of_squares[8, 128](x, y, cupy.uint32(x.size))
print(float(y[0]) == float((x.get() ** 2).sum()))

x = cupy.arange(64, dtype=cupy.int32)
y = cupy.zeros_like(x)
reversed_blocks((4,), (16,), (x, y), shared_mem=16 * 4)
print(np.array_equal(y.get(), x.get().reshape(4, 16)[:, ::-1].ravel()))

sums = cupy.zeros(2, dtype=cupy.int32)
with cupy.cuda.Stream() as stream:
    warp_sums((2,), (32,), (x, sums))
stream.synchronize()
print(sums)
