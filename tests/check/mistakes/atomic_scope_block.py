"""Blocks add to one counter with atomics of block scope."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] % 3 == 0)
    atomicAdd_block(n, 1);  //! race //-
    //+ atomicAdd(n, 1);
}
"""
x = cp.arange(96, dtype=np.int32)
n = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((3,), (32,), (x, n))
#+ assert n.get()[0] == 32
