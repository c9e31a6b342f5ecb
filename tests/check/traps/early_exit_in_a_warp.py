"""Lanes return, and the others meet at warp barriers and masks of those that are left."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t >= n) return;
  unsigned mask = (1u << n) - 1;
  s[t] = x[t];
  __syncwarp(mask);
  int v = s[(t + 1) % n];
  out[t] = v + __shfl_sync(mask, v, 0);
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (32,), (cp.asarray(x), out, np.int32(20)))
np.testing.assert_array_equal(out.get()[:20], np.roll(x[:20], -1) + 1)
