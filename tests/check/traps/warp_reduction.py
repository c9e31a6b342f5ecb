"""A warp sums in shared memory with warp barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sums(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t % 32;
  s[t] = x[64 * blockIdx.x + t];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    if (lane < half) s[t] += s[t + half];
    __syncwarp();
  }
  if (lane == 0) out[2 * blockIdx.x + t / 32] = s[t];
}
"""
x = np.arange(128, dtype=np.int32)
out = cp.zeros(4, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((2,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x.reshape(4, 32).sum(1))
