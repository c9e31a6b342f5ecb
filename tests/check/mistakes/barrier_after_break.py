"""Threads leave a loop with a barrier when they have found what they search."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void find(const int* x, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x, found = -1;
  for (int start = 0; start < 256; start += 64) {
    __syncthreads();  //! barrier
    tile[t] = x[start + t];  //? race
    __syncthreads();  //? barrier
    for (int k = 0; k < 64; ++k)
      if (found < 0 && tile[k] == 3 * t) found = start + k;  //? race
    if (found >= 0) break;  //-
  }
  out[t] = found;
}
"""
x = np.arange(256, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "find")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), 3 * np.arange(64))
