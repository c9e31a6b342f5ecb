"""The next tile is loaded while the current one is read."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void dot(const int* a, const int* b, int* out, int n) {
  __shared__ int tile[2][32];
  int t = threadIdx.x, current = 0, total = 0;
  tile[0][t] = a[t];
  __syncthreads();
  for (int start = 0; start < n; start += 32) {
    if (start + 32 < n) tile[1 - current][t] = a[start + 32 + t];
    for (int j = 0; j < 32; ++j) total += tile[current][j] * b[(start + j + t) % n];
    __syncthreads();
    current = 1 - current;
  }
  out[t] = total;
}
"""
a, b = np.arange(96, dtype=np.int32), np.arange(96, dtype=np.int32) % 11
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "dot")((1,), (32,), (cp.asarray(a), cp.asarray(b), out, np.int32(96)))
np.testing.assert_array_equal(out.get(), [a @ np.roll(b, -t) for t in range(32)])
