"""Half of the blocks take another lock for the same total."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_all(const int* x, int* locks, int* total) {
  int* lock = locks + blockIdx.x % 2;  //-
  //+ int* lock = locks;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  total[0] += x[blockIdx.x];  //! race
  __threadfence();
  atomicExch(lock, 0);
}
"""
x = cp.arange(6, dtype=np.int32)
locks, total = cp.zeros(2, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "add_all")((6,), (1,), (x, locks, total))
#+ assert total.get()[0] == 15
