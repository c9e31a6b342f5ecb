"""Elements of 8 and 16 bytes are served in parts of a warp, without conflicts."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(double* x, float4* y) {
  __shared__ double s[128];
  __shared__ float4 v[128];
  int t = threadIdx.x;
  s[t] = x[t];
  v[t] = y[t];
  __syncthreads();
  x[t] = s[127 - t];
  y[t] = v[127 - t];
}
"""
x = np.arange(128, dtype=np.float64)
y = np.arange(512, dtype=np.float32)
on_device = cp.asarray(x), cp.asarray(y)
cp.RawKernel(SOURCE, "reverse")((1,), (128,), on_device)
np.testing.assert_array_equal(on_device[0].get(), x[::-1])
np.testing.assert_array_equal(on_device[1].get(), y.reshape(128, 4)[::-1].ravel())
