"""Local arrays whose indices are known after loops have been unrolled."""

import numpy as np

from heddle import cuda
from heddle.compat import cupy as cp


@cuda.jit
def rotate(x, out):
    i = cuda.grid(1)
    mine = cuda.local.array(8, np.float32)
    for k in range(8):
        mine[k] = x[k, i]
    for k in range(8):
        out[k, i] = mine[(k + 3) % 8]


SOURCE = r"""
extern "C" __global__ void product(const float* a, float* out) {
  float tile[4][4], row[4] = {1, 2, 3, 4};
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) tile[y][x] = a[threadIdx.x + 64 * (4 * y + x)];
  for (int y = 0; y < 4; ++y) {
    float sum = 0;
    for (int x = 0; x < 4; ++x) sum += tile[y][x] * row[x];
    out[threadIdx.x + 64 * y] = sum;
  }
}
"""
x = np.arange(8 * 64, dtype=np.float32).reshape(8, 64)
out = np.zeros_like(x)
rotate[2, 32](x, out)
np.testing.assert_array_equal(out, np.roll(x, -3, axis=0))
a, sums = cp.asarray(np.ones((16, 64), np.float32)), cp.zeros((4, 64), dtype=np.float32)
cp.RawKernel(SOURCE, "product")((1,), (64,), (a, sums))
np.testing.assert_array_equal(sums.get(), np.full((4, 64), 10))
