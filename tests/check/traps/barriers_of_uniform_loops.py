"""Barriers in nested loops and branches that all threads of a block take together, with other branches between them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void steps(const int* sizes, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x, total = 0, left = sizes[blockIdx.x];
  s[t] = t;
  do {
    for (int k = 0; k < left; ++k) {
      if (k == 1) continue;
      __syncthreads();
      int v = s[(t + 1) % 32];
      for (int i = 0; i < t % 3; ++i) {
        if (i == t) break;
        total += i;
      }
      if (k % 2) {
        __syncthreads();
        total += v;
      }
      __syncthreads();
      s[t] = v;
    }
    if (t % 2) total += left;
    --left;
  } while (__syncthreads_or(t == 3 && left > 0));
  out[32 * blockIdx.x + t] = total;
}
"""
sizes = np.array([1, 4], np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "steps")((2,), (32,), (cp.asarray(sizes), out))
t = np.arange(32)
for size, row in zip(sizes, out.get().reshape(2, 32), strict=True):
    s, total = t.copy(), np.zeros(32, np.int32)
    for left in range(size, 0, -1):
        for k in [k for k in range(left) if k != 1]:
            s = np.roll(s, -1)
            total += (t % 3 == 2) + (s if k % 2 else 0)
        total += left * (t % 2)
    np.testing.assert_array_equal(row, total)
