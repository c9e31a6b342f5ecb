"""A guard compares with <= and lets one thread too many through."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void double_all(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)  //-
  //+ if (i < n)
    out[i] = 2 * x[i];  //! bounds
}
"""
x = cp.arange(100, dtype=np.int32)
out = cp.zeros(100, dtype=np.int32)
cp.RawKernel(SOURCE, "double_all")((2,), (64,), (x, out, np.int32(100)))
#+ np.testing.assert_array_equal(out.get(), 2 * np.arange(100))
