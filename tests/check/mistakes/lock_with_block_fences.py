"""A lock that threads of several blocks take has fences for one block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void largest(const int* x, int* lock, int* best) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence_block();  //-
  //+ __threadfence();
  int i = blockIdx.x;
  if (x[i] > best[0]) {  //! race
    best[0] = x[i];  //! race
    best[1] = i;  //? race
  }
  __threadfence_block();  //-
  //+ __threadfence();
  atomicExch(lock, 0);
}
"""
x = np.array([3, 8, 5, 9, 2], np.int32)
lock, best = cp.zeros(1, dtype=np.int32), cp.zeros(2, dtype=np.int32)
cp.RawKernel(SOURCE, "largest")((5,), (1,), (cp.asarray(x), lock, best))
#+ assert best.get().tolist() == [9, 3]
