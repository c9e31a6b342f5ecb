"""Means and maxima of rows by the reductions of cupyx.jit.cub, in a block and in each warp of it."""

import cupy as cp
from cupyx import jit

THREADS = 128


@jit.rawkernel()
def row_means(x, means):
    BlockReduce = jit.cub.BlockReduce[cp.float32, THREADS]
    storage = jit.shared_memory(dtype=BlockReduce.TempStorage, size=1)
    row, t = jit.blockIdx.x, jit.threadIdx.x
    own = cp.float32(0)
    for column in range(t, x.shape[1], THREADS):
        own += x[row, column]
    total = BlockReduce(storage[0]).Sum(own)
    if t == 0:
        means[row] = total / x.shape[1]


@jit.rawkernel()
def warp_maxima(x, maxima):
    WarpReduce = jit.cub.WarpReduce[cp.int32]
    storage = jit.shared_memory(dtype=WarpReduce.TempStorage, size=1)
    i = jit.grid(1)
    largest = WarpReduce(storage[0]).Reduce(x[i], jit.cub.Max())
    if jit.laneid() == 0:
        maxima[i // jit.warpsize] = largest


rows = cp.arange(3000, dtype=cp.float32).reshape(3, 1000)
means = cp.zeros(3, cp.float32)
row_means[3, THREADS](rows, means)
print(means)

values = cp.arange(256, dtype=cp.int32) * 37 % 101
maxima = cp.zeros(8, cp.int32)
warp_maxima[2, THREADS](values, maxima)
print((maxima == values.reshape(8, 32).max(axis=1)).all())
