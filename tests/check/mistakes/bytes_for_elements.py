"""An offset in bytes is used as a number of elements."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void copy_row(const int* x, int* out, int pitch) {
  const int* row = x + blockIdx.x * pitch;  //-
  //+ const int* row = (const int*)((const char*)x + blockIdx.x * pitch);
  out[blockIdx.x * blockDim.x + threadIdx.x] = row[threadIdx.x];  //! bounds
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "copy_row")((4,), (16,), (x, out, np.int32(64)))
#+ np.testing.assert_array_equal(out.get(), x.get())
