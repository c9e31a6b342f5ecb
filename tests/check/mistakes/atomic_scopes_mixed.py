"""One block updates a maximum with block scope, others with device scope."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void largest(const int* x, int* best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0)
    atomicMax_block(best, x[i]);  //! race //-
    //+ atomicMax(best, x[i]);
  else
    atomicMax(best, x[i]);  //! race
}
"""
x = cp.asarray(np.arange(96, dtype=np.int32) * 31 % 97)
best = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "largest")((3,), (32,), (x, best))
#+ assert best.get()[0] == x.get().max()
