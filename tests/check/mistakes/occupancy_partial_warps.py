"""Blocks of 80 threads have a warp with 16 lanes that never work."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add_one(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
"""
x = cp.zeros(320_000, dtype=np.int32)
threads = 80  #-
#+ threads = 128
add_one = cp.RawKernel(SOURCE, "add_one")
add_one((x.size // threads,), (threads,), (x, np.int32(x.size)))  #! occupancy note
#+ assert x.get().min() == x.get().max() == 1
