"""Bodies move while other blocks still read their positions."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void step(float4* bodies, float4* moved, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];  //? race
  float x = 0;
  for (int j = 0; j < n; ++j)
    x += bodies[j].x * bodies[j].w;  //! race
  me.x += x;
  bodies[i] = me;  //! race //-
  //+ moved[i] = me;
}
"""
start = np.arange(256, dtype=np.float32).reshape(64, 4) % 5
bodies, moved = cp.asarray(start), cp.zeros((64, 4), dtype=np.float32)
cp.RawKernel(SOURCE, "step")((2,), (32,), (bodies, moved, np.int32(64)))
#+ np.testing.assert_array_equal(moved.get()[:, 0], start[:, 0] + start[:, 0] @ start[:, 3])
