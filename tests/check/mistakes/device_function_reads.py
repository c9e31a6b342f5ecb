"""A device function reads a tile that its caller wrote with no barrier in between."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ int neighbours(const int* tile, int t) {
  return tile[t] + tile[t + 2];  //! race
}
extern "C" __global__ void add(const int* x, int* out) {
  __shared__ int tile[66];
  int t = threadIdx.x;
  tile[t + 1] = x[t];  //! race
  if (t == 0)
    tile[0] = tile[65] = 0;  //? race
  //+ __syncthreads();
  out[t] = neighbours(tile, t);
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "add")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.convolve(x, [1, 0, 1], "same"))
