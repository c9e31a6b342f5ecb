"""Atomics of block scope count in shared memory and in an element per block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* per_block, int* total) {
  __shared__ int n;
  int t = threadIdx.x;
  if (t == 0) n = 0;
  __syncthreads();
  if (x[blockIdx.x * blockDim.x + t] % 3 == 0) {
    atomicAdd_block(&n, 1);
    atomicAdd_block(&per_block[blockIdx.x], 1);
  }
  __syncthreads();
  if (t == 0) atomicAdd(total, n);
}
"""
x = cp.arange(96, dtype=np.int32)
per_block, total = cp.zeros(3, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((3,), (32,), (x, per_block, total))
assert per_block.get().tolist() + total.get().tolist() == [11, 11, 10, 32]
