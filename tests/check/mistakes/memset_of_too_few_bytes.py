"""A count of elements is passed as a count of bytes."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add(const float* x, float* y) {
  int i = threadIdx.x;
  y[i] += x[i];  //! uninit //-
  //+ y[i] += x[i];
}
"""
x = cp.asarray(np.arange(32, dtype=np.float32))
y = cp.empty(32, dtype=np.float32)
y.data.memset(0, 32)  #-
#+ y.data.memset(0, 4 * 32)
cp.RawKernel(SOURCE, "add")((1,), (32,), (x, y))
#+ np.testing.assert_array_equal(y.get(), x.get())
