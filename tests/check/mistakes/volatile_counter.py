"""A volatile counter that all threads increment."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* n) {
  volatile int* counter = n;  //-
  if (x[threadIdx.x] > 5)
    *counter = *counter + 1;  //! race //-
    //+ atomicAdd(n, 1);
}
"""
x = cp.arange(64, dtype=np.int32)
n = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((1,), (64,), (x, n))
#+ assert n.get()[0] == 58
