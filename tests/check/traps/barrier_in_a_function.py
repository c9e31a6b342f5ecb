"""A device function has the barrier between its caller's write and read."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ void store(int* s, int v) {
  s[threadIdx.x] = v;
  __syncthreads();
}
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  store(s, x[t]);
  int v = s[63 - t];
  __syncthreads();
  store(s, v + 1);
  out[t] = s[63 - t];
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x + 1)
