"""Bodies are read through shared tiles and written to another array."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void step(const float4* bodies, float4* moved, int n) {
  __shared__ float4 tile[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float4 me = bodies[i];
  for (int start = 0; start < n; start += 32) {
    tile[t] = bodies[start + t];
    __syncthreads();
    for (int j = 0; j < 32; ++j) me.x += tile[j].y * tile[j].w;
    __syncthreads();
  }
  moved[i] = me;
}
"""
start = np.arange(256, dtype=np.float32).reshape(64, 4) % 5
bodies, moved = cp.asarray(start), cp.zeros((64, 4), dtype=np.float32)
cp.RawKernel(SOURCE, "step")((2,), (32,), (bodies, moved, np.int32(64)))
np.testing.assert_array_equal(moved.get()[:, 0], start[:, 0] + start[:, 1] @ start[:, 3])
