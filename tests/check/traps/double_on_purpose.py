"""A sum in double precision, and literals that are exact in float."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void average(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[64 * k + i];
  out[i] = sum / n;
}

extern "C" __global__ void halve(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] * 0.5;
}
"""
module = cp.RawModule(code=SOURCE)
a, out = cp.asarray(np.ones((10, 64), np.float32)), cp.zeros(64, dtype=np.float32)
module.get_function("average")((2,), (32,), (a, out, np.int32(10)))
module.get_function("halve")((2,), (32,), (out, out))
np.testing.assert_array_equal(out.get(), np.full(64, 0.5))
