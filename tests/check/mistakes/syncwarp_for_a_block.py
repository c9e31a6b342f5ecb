"""A warp barrier stands where threads of several warps exchange values."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];  //! race
  __syncwarp();  //-
  //+ __syncthreads();
  out[t] = s[127 - t];  //! race
}
"""
x = cp.arange(128, dtype=np.int32)
out = cp.zeros(128, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (128,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
