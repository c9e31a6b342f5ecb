"""Threads move global elements one place on while others read them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(int* x, int n) {
  int i = threadIdx.x;
  int v = x[i];  //! race
  //+ __syncthreads();
  x[(i + 1) % n] = v;  //! race
}
"""
x = cp.arange(64, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (64,), (x, np.int32(64)))
#+ np.testing.assert_array_equal(x.get(), np.roll(np.arange(64), 1))
