"""A tiled product loads the next tiles while other threads read the current ones."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float left[8][8], right[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  float total = 0;
  for (int start = 0; start < n; start += 8) {
    left[y][x] = a[row * n + start + x];  //! race
    right[y][x] = b[(start + y) * n + column];  //! race
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      total += left[y][k] * right[k][x];  //! race
    //+ __syncthreads();
  }
  c[row * n + column] = total;
}
"""
a = np.arange(256, dtype=np.float32).reshape(16, 16) % 7
b = np.arange(256, dtype=np.float32).reshape(16, 16) % 5
c = cp.zeros((16, 16), dtype=np.float32)
arguments = (cp.asarray(a), cp.asarray(b), c, np.int32(16))
cp.RawKernel(SOURCE, "product")((2, 2), (8, 8), arguments)
#+ np.testing.assert_array_equal(c.get(), a @ b)
