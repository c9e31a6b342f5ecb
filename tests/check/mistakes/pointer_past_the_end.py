"""A pointer walks from the last element on, by one step too many."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sums(const int* x, int* out, int n) {
  const int* end = x + n;
  int total = 0;
  for (const int* p = x + threadIdx.x; p <= end; p += blockDim.x)  //-
  //+ for (const int* p = x + threadIdx.x; p < end; p += blockDim.x)
    total += *p;  //! bounds
  out[threadIdx.x] = total;
}
"""
x = cp.arange(96, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((1,), (32,), (x, out, np.int32(96)))
#+ np.testing.assert_array_equal(out.get(), x.get().reshape(3, 32).sum(0))
