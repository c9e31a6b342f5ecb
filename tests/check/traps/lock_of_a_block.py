"""Thread 0 takes a lock for its block, and all threads update the array."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_all(const int* x, int* lock, int* total) {
  int t = threadIdx.x;
  if (t == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
  }
  __syncthreads();
  total[t] += x[32 * blockIdx.x + t];
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}
"""
x = np.arange(128, dtype=np.int32)
lock, total = cp.zeros(1, dtype=np.int32), cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "add_all")((4,), (32,), (cp.asarray(x), lock, total))
np.testing.assert_array_equal(total.get(), x.reshape(4, 32).sum(0))
