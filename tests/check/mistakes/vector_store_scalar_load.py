"""Threads store float2 and read single floats of their neighbours."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void interleave(const float* x, float* out) {
  __shared__ __align__(8) float s[128];
  int t = threadIdx.x;
  ((float2*)s)[t] = make_float2(x[t], -x[t]);  //! race
  //+ __syncthreads();
  out[t] = s[t];  //! race
  out[t + 64] = s[t + 64];  //! race
}
"""
x = np.arange(64, dtype=np.float32) + 1
out = cp.zeros(128, dtype=np.float32)
cp.RawKernel(SOURCE, "interleave")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.stack([x, -x], 1).ravel())
