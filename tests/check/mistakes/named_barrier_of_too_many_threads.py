"""A barrier waits for three warps, but only two of them reach it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 64) {
    s[t] = x[t];
    asm volatile("bar.sync 1, 96;" ::: "memory");  //! barrier //-
    //+ asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = s[63 - t];
  }
  __syncthreads();  //? barrier //-
  //+ __syncthreads();
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (96,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
