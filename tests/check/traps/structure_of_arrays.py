"""Fields in separate arrays, and structures that each thread loads as a whole."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void move(float* x, float* y, const float2* speed, const float4* place, float* far) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 v = speed[i];
  x[i] += v.x;
  y[i] += v.y;
  float4 p = place[i];
  far[i] = p.x + p.y + p.z + p.w;
}
"""
x, y, far = (cp.zeros(128, dtype=np.float32) for _ in range(3))
speed = cp.asarray(np.ones(256, np.float32))
place = cp.asarray(np.ones(512, np.float32))
cp.RawKernel(SOURCE, "move")((2,), (64,), (x, y, speed, place, far))
np.testing.assert_array_equal(x.get(), np.ones(128))
np.testing.assert_array_equal(far.get(), np.full(128, 4))
