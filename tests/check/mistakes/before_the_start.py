"""A difference reads the element before the first one."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void differences(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i] - x[i - 1];  //! bounds //-
    //+ out[i] = i > 0 ? x[i] - x[i - 1] : x[i];
  }
}
"""
x = cp.asarray(np.arange(100, dtype=np.int32) ** 2)
out = cp.zeros(100, dtype=np.int32)
cp.RawKernel(SOURCE, "differences")((2,), (64,), (x, out, np.int32(100)))
#+ np.testing.assert_array_equal(out.get(), np.diff(x.get(), prepend=0))
