"""A sum goes to an element past the end."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void shift_add(const int* x, int* out) {
  int i = threadIdx.x;
  out[i + 1] += x[i];  //! bounds //-
  //+ if (i < 31) out[i + 1] += x[i];
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "shift_add")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get()[1:], np.arange(31))
