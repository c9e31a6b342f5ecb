"""Blocks take tiles from an atomic counter and pass the number on through shared memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void double_tiles(int* x, int* next, int tiles) {
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int mine = tile;
    __syncthreads();
    if (mine >= tiles) return;
    x[32 * mine + threadIdx.x] *= 2;
  }
}
"""
x, next = cp.arange(160, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "double_tiles")((2,), (32,), (x, next, np.int32(5)))
np.testing.assert_array_equal(x.get(), 2 * np.arange(160))
