"""Lanes go around a warp barrier that names them, and end later."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out) {
  __shared__ int s[16];
  int t = threadIdx.x, v = x[t];
  if (t < 16) {
    s[t] = v;
    __syncwarp();  //! warp //-
    //+ __syncwarp(0xffff);
    v = s[(t + 1) % 16];
  }
  out[t] = v;
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.append(np.roll(x[:16], -1), x[16:]))
