"""The down-sweep of a work-efficient scan has no barrier between its levels."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    if (t < 32 / d) s[2 * d * (t + 1) - 1] += s[2 * d * t + d - 1];
  }
  __syncthreads();
  if (t == 0) s[63] = 0;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < 32 / d) {
      int low = 2 * d * t + d - 1, high = 2 * d * (t + 1) - 1;
      int kept = s[low];  //? race
      s[low] = s[high];  //! race
      s[high] += kept;  //! race
    }
    //+ __syncthreads();
  }
  __syncthreads();
  out[2 * t] = s[2 * t];
  out[2 * t + 1] = s[2 * t + 1];
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "scan")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), np.cumsum(x.get()) - x.get())
