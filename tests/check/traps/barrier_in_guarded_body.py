"""The body of the kernel is guarded, so that the other threads end without its barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < n) {
    s[t] = x[t];
    __syncthreads();
    int v = s[n - 1 - t];
    __syncthreads();
    s[t] = v;
    __syncthreads();
    out[t] = s[t];
  }
}
"""
x = np.arange(40, dtype=np.int32)
out = cp.zeros(40, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (cp.asarray(x), out, np.int32(40)))
np.testing.assert_array_equal(out.get(), x[::-1])
