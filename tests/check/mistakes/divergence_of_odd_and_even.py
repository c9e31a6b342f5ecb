"""Threads with odd and even indices do different work, so that each warp does both."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void smooth(const float* x, float* out, int rounds) {
  int t = threadIdx.x, half = blockDim.x / 2;
  int i = t;  //-
  //+ int i = t < half ? 2 * t : 2 * (t - half) + 1;
  float v = x[i];
  if (i % 2 == 0) {  //! divergence note //-
  //+ if (t < half) {
    for (int k = 0; k < rounds; ++k) v = 0.5f * v + 1.0f;
  } else {
    for (int k = 0; k < rounds; ++k) v = v * v - 0.5f;
  }
  out[i] = v;
}
"""
x = np.full(128, 0.5, np.float32)
out = cp.zeros(128, dtype=np.float32)
cp.RawKernel(SOURCE, "smooth")((1,), (128,), (cp.asarray(x), out, np.int32(40)))
#+ np.testing.assert_allclose(out.get()[::2], 2, rtol=1e-5)
