"""A scan alternates between two shared buffers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x, from = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    __syncthreads();
    from = 1 - from;
  }
  out[t] = s[from][t];
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "scan")((1,), (64,), (x, out))
np.testing.assert_array_equal(out.get(), np.cumsum(x.get()))
