"""The last warp of a reduction relies on volatile and lockstep."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ void warp_sum(volatile int* s, int t) {
  for (int d = 32; d > 0; d /= 2) {
    int other = s[t + d];  //! race
    //+ __syncwarp();
    s[t] += other;  //! race
    //+ __syncwarp();
  }
}
extern "C" __global__ void sum(const int* x, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) warp_sum(s, t);
  if (t == 0) out[0] = s[0];
}
"""
x = cp.arange(128, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (128,), (x, out))
#+ assert out.get()[0] == 127 * 64
