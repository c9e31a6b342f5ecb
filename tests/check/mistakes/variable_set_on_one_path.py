"""A variable is assigned in one branch only."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void clamp(const int* x, int* out) {
  int t = threadIdx.x;
  int v;  //-
  //+ int v = 0;
  if (x[t] > 0) v = x[t];
  out[t] = 2 * v;  //! uninit //-
  //+ out[t] = 2 * v;
}
"""
x = np.arange(32, dtype=np.int32) - 16
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "clamp")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), 2 * np.maximum(x, 0))
