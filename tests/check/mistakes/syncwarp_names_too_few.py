"""A reader outside of the barrier's mask reads what the named lanes wrote."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void publish(const int* x, int* out) {
  __shared__ int s[8];
  int t = threadIdx.x;
  if (t < 8) {
    s[t] = x[t];  //! race
    __syncwarp(0xff);  //-
  }
  //+ __syncwarp();
  out[t] = s[t % 8];  //! race
}
"""
x = cp.arange(8, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "publish")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), np.arange(32) % 8)
