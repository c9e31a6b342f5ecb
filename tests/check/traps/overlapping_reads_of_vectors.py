"""Threads store aligned float4 and read single floats after a barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void spread(const float4* x, float* out) {
  __shared__ float4 s[16];
  int t = threadIdx.x;
  if (t < 16) s[t] = x[t];
  __syncthreads();
  out[t] = ((const float*)s)[63 - t];
}
"""
x = np.arange(64, dtype=np.float32)
out = cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "spread")((1,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x[::-1])
