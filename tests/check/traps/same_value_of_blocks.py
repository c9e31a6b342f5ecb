"""All blocks store the same constant."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void clear(float* total, const float* x, float* out) {
  *total = 0;  //! race note
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = -x[i];
}
"""
x = np.arange(64, dtype=np.float32)
total, out = cp.ones(1, dtype=np.float32), cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "clear")((2,), (32,), (total, cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), -x)
