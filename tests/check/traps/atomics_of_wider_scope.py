"""Atomics of device and system scope meet on one counter."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0)
    atomicAdd_system(n, x[i]);
  else
    atomicAdd(n, x[i]);
}
"""
x = cp.arange(96, dtype=np.int32)
n = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((3,), (32,), (x, n))
assert n.get()[0] == 95 * 48
