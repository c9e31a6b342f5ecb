"""Blocks past the end return before the barrier of the grid, so that the others wait forever."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
extern "C" __global__ void mirror(const int* x, int* y, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)  //-
    return;    //-
  //+ if (i < n)
    y[i] = 2 * x[i];
  cooperative_groups::this_grid().sync();  //! barrier //-
  //+ cooperative_groups::this_grid().sync();
  //+ if (i < n)
    out[i] = y[n - 1 - i];
}
"""
x = cp.arange(64, dtype=np.int32)
y, out = cp.zeros(64, dtype=np.int32), cp.zeros(64, dtype=np.int32)
kernel = cp.RawKernel(SOURCE, "mirror", enable_cooperative_groups=True)
kernel((4,), (32,), (x, y, out, np.int32(64)))
np.testing.assert_array_equal(out.get(), 2 * x.get()[::-1])
