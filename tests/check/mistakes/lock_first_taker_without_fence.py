"""Of two blocks that share a lock, the one that takes it first lacks the fence after it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void write_both(int* lock, int* data) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  if (blockIdx.x == 0) {
    //+ __threadfence();
    data[0] = 1;  //! race
  } else {
    __threadfence();
    data[0] = 2;  //! race
  }
  __threadfence();
  atomicExch(lock, 0);
}
"""
lock, data = cp.zeros(1, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "write_both")((2,), (1,), (lock, data))
assert data.get()[0] in (1, 2)
