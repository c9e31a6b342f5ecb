"""Rows overlap because their pitch is one element too small."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void fill(int* m, int width) {
  int* row = m + blockIdx.x * (width - 1);  //-
  //+ int* row = m + blockIdx.x * width;
  row[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;  //! race
}
"""
m = cp.zeros((4, 32), dtype=np.int32)
cp.RawKernel(SOURCE, "fill")((4,), (32,), (m, np.int32(32)))
#+ np.testing.assert_array_equal(m.get(), 100 * np.arange(4)[:, None] + np.arange(32))
