"""Some lanes call a device function that has a barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ int neighbor(int* s, int v) {
  s[threadIdx.x] = v;  //? race
  __syncthreads();  //! barrier //-
  //+ __syncthreads();
  return s[threadIdx.x ^ 1];  //? race
}
extern "C" __global__ void mix(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x, v = x[t];
  if (v % 4 < 2) v += neighbor(s, v);  //-
  //+ int other = neighbor(s, v);
  //+ if (v % 4 < 2) v += other;
  out[t] = v;
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "mix")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x + np.where(x % 4 < 2, x ^ 1, 0))
