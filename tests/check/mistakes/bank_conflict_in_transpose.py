"""A column of a tile of 32 by 32 floats lies in one bank."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void transpose(const float* a, float* out) {
  __shared__ float tile[32][32];  //-
  //+ __shared__ float tile[32][33];
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][x] = a[32 * y + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    out[32 * y + x] = tile[x][y];  //! bank-conflict note
}
"""
a = np.arange(1024, dtype=np.float32).reshape(32, 32)
out = cp.zeros((32, 32), dtype=np.float32)
cp.RawKernel(SOURCE, "transpose")((1,), (32, 8), (cp.asarray(a), out))
#+ np.testing.assert_array_equal(out.get(), a.T)
