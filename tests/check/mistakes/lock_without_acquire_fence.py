"""A lock is taken with no fence before the critical section."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_all(const int* x, int* lock, int* total) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  //+ __threadfence();
  total[0] += x[blockIdx.x];  //! race
  __threadfence();
  atomicExch(lock, 0);
}
"""
x = cp.arange(6, dtype=np.int32)
lock, total = cp.zeros(1, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "add_all")((6,), (1,), (x, lock, total))
#+ assert total.get()[0] == 15
