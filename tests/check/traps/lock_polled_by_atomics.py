"""Threads look at a lock by an atomic addition of 0 before they try to take it, and release it by a subtraction."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_all(const int* x, int* lock, int* total) {
  bool done = false;
  while (!done) {
    if (atomicAdd(lock, 0) == 0 && atomicExch(lock, 1) == 0) {
      __threadfence();
      total[0] += x[blockIdx.x];
      __threadfence();
      atomicSub(lock, 1);
      done = true;
    }
  }
}
"""
x = cp.arange(6, dtype=np.int32)
lock, total = cp.zeros(1, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "add_all")((6,), (1,), (x, lock, total))
assert total.get()[0] == 15
