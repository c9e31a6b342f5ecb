"""Each warp counts in a private histogram, and the block adds them after a barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void histogram(const int* x, int* h) {
  __shared__ int s[2][16];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (lane < 16) s[warp][lane] = 0;
  __syncwarp();
  atomicAdd(&s[warp][x[64 * blockIdx.x + t]], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&h[t], s[0][t] + s[1][t]);
}
"""
x = np.arange(128, dtype=np.int32) * 3 % 16
h = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "histogram")((2,), (64,), (cp.asarray(x), h))
np.testing.assert_array_equal(h.get(), np.bincount(x, minlength=16))
