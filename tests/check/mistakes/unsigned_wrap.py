"""An unsigned index wraps around below zero."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void shift(const int* x, int* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i - 1];  //! bounds //-
    //+ out[i] = i >= 1 ? x[i - 1] : 0;
  }
}
"""
x = np.arange(64, dtype=np.int32) + 1
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "shift")((1,), (64,), (cp.asarray(x), out, np.uint32(64)))
#+ np.testing.assert_array_equal(out.get(), np.arange(64))
