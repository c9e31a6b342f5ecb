"""A warp that consumes waits more often than the warp that produces."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void relay(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x % 32, total = 0;
  if (threadIdx.x < 32) {
    for (int step = 0; step < 3; ++step) {
      s[t] = x[32 * step + t];
      __syncthreads();
      __syncthreads();
    }
  } else {
    for (int step = 0; step < 3; ++step) {
      __syncthreads();
      total += s[31 - t];
      __syncthreads();
    }
    __syncthreads();  //! barrier //-
  }
  out[threadIdx.x] = total;
}
"""
x = np.arange(96, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "relay")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get()[32:], x.reshape(3, 32).sum(0)[::-1])
