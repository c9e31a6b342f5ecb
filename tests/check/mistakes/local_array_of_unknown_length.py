"""A loop over a local array has a length that only the launch knows, so that it is not unrolled."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void running_sum(const float* x, float* out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float window[8];
  for (int k = 0; k < 8; ++k) window[k] = 0;
  float sum = 0;
  for (int k = 0; k < length; ++k) {
    sum += x[64 * k + i] - window[k % 8];  //? local-array note //-
    window[k % 8] = x[64 * k + i];  //! local-array note //-
    //+ sum += x[64 * k + i] - window[7];
    //+ for (int j = 7; j > 0; --j) window[j] = window[j - 1];
    //+ window[0] = x[64 * k + i];
  }
  out[i] = sum;
}
"""
x = np.arange(20 * 64, dtype=np.float32).reshape(20, 64)
out = cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "running_sum")((2,), (32,), (cp.asarray(x), out, np.int32(20)))
#+ np.testing.assert_allclose(out.get(), x[12:].sum(axis=0))
