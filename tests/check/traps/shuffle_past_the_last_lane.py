"""Lanes whose neighbor does not exist or is not named ignore what they read."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void differences(const int* x, int* out, int* sums) {
  int t = threadIdx.x, v = x[t];
  int next = __shfl_down_sync(0xffffffffu, v, 1);
  out[t] = t < 23 ? next - v : 0;
  if (t < 12) {
    for (int d = 8; d > 0; d /= 2) {
      int other = __shfl_down_sync(0xfffu, v, d);
      if (t + d < 12) v += other;
    }
    if (t == 0) sums[0] = v;
  }
}
"""
x = np.arange(24, dtype=np.int32) ** 2
out, sums = cp.zeros(24, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "differences")((1,), (24,), (cp.asarray(x), out, sums))
np.testing.assert_array_equal(out.get(), np.append(np.diff(x), 0))
assert sums.get()[0] == x[:12].sum()
