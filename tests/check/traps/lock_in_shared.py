"""The warps of a block share a lock in shared memory, with fences for one block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_all(const int* x, int* out) {
  __shared__ int lock, total;
  int t = threadIdx.x;
  if (t == 0) lock = total = 0;
  __syncthreads();
  if (t % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence_block();
    total += x[t / 32];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (t == 0) out[0] = total;
}
"""
x = cp.arange(4, dtype=np.int32) + 1
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "add_all")((1,), (128,), (x, out))
assert out.get()[0] == 10
