"""A literal without the suffix f makes the arithmetic of a float kernel double precision."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void blend(const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0.3 * x[i] + 0.7 * y[i];  //! float64 note //-
  //+ out[i] = 0.3f * x[i] + 0.7f * y[i];
}
"""
x, y = cp.asarray(np.arange(64, dtype=np.float32)), cp.asarray(np.ones(64, np.float32))
out = cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "blend")((2,), (32,), (x, y, out))
#+ np.testing.assert_allclose(out.get(), 0.3 * x.get() + 0.7, rtol=1e-6)
