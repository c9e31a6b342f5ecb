"""A scan has a barrier between reads and writes, but none before the next step."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int other = t >= d ? s[t - d] : 0;  //! race
    __syncthreads();
    s[t] += other;  //! race
    //+ __syncthreads();
  }
  out[t] = s[t];
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "scan")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), np.cumsum(x.get()))
