"""The launch has more threads than the shared array has elements."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[32];  //-
  //+ __shared__ int s[64];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = x[t];  //! bounds
  __syncthreads();
  out[t] = s[n - 1 - t];  //! bounds
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
