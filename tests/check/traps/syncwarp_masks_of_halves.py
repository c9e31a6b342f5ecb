"""Each half of a warp exchanges values within itself."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse_halves(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  unsigned half = t < 16 ? 0x0000ffffu : 0xffff0000u;
  s[t] = x[t];
  __syncwarp(half);
  int v = s[t ^ 15];
  __syncwarp(half);
  s[t] = v + 1;
  __syncwarp(half);
  out[t] = s[t ^ 1];
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse_halves")((1,), (32,), (x, out))
np.testing.assert_array_equal(out.get(), (np.arange(32) ^ 14) + 1)
