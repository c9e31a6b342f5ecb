"""Each half of a warp waits for itself, but values cross between the halves."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = x[t];  //! race
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);  //-
  //+ __syncwarp();
  out[t] = s[31 - t];  //! race
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
