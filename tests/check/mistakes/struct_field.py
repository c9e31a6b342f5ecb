"""Threads read a field of their neighbour's structure that the neighbour still writes."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Cell { int value, sum; };
extern "C" __global__ void add_neighbour(const int* x, int* out) {
  __shared__ Cell cells[64];
  int t = threadIdx.x;
  cells[t].value = x[t];  //! race
  //+ __syncthreads();
  cells[t].sum = cells[t].value + cells[(t + 1) % 64].value;  //! race
  out[t] = cells[t].sum;
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "add_neighbour")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get() + np.roll(x.get(), -1))
