"""Of two warps that share a lock, the one that takes it last lacks the fence before the release."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_both(int* lock, int* total) {
  if (threadIdx.x == 0) {
    while (atomicCAS_block(lock, 0, 1) != 0) {}
    __threadfence_block();
    total[0] += 1;  //! race
    __threadfence_block();
    atomicExch_block(lock, 0);
  } else if (threadIdx.x == 32) {
    while (atomicCAS_block(lock, 0, 1) != 0) {}
    __threadfence_block();
    total[0] += 2;  //! race
    //+ __threadfence_block();
    atomicExch_block(lock, 0);
  }
}
"""
lock, total = cp.zeros(1, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "add_both")((1,), (64,), (lock, total))
#+ assert total.get()[0] == 3
