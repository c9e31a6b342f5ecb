"""A row-major index multiplies the column by the width."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void negate(const int* a, int* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int i = x * width + y;  //-
    //+ int i = y * width + x;
    out[i] = -a[i];  //! bounds
  }
}
"""
a = np.arange(8 * 20, dtype=np.int32).reshape(8, 20)
out = cp.zeros((8, 20), dtype=np.int32)
arguments = (cp.asarray(a), out, np.int32(20), np.int32(8))
cp.RawKernel(SOURCE, "negate")((3, 1), (8, 8), arguments)
#+ np.testing.assert_array_equal(out.get(), -a)
