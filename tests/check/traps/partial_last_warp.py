"""The last warp of a block has 8 lanes, and all of them meet at full masks."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out) {
  __shared__ int s[40];
  int t = threadIdx.x, first = t / 32 * 32, count = min(32, 40 - first);
  s[t] = x[t];
  __syncwarp();
  out[t] = s[first + (t - first + 1) % count];
}
"""
x = np.arange(40, dtype=np.int32)
out = cp.zeros(40, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (40,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), np.append(np.roll(x[:32], -1), np.roll(x[32:], -1)))
