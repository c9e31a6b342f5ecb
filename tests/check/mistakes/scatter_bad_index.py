"""A scatter writes to an index past the end of the output."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scatter(const int* x, const int* index, int* out, int n) {
  int i = threadIdx.x;
  //+ if (index[i] < n)
  out[index[i]] = x[i];  //! bounds
}
"""
x = cp.arange(32, dtype=np.int32)
index = cp.asarray(np.arange(32, dtype=np.int32) + 2)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "scatter")((1,), (32,), (x, index, out, np.int32(32)))
#+ np.testing.assert_array_equal(out.get()[2:], np.arange(30))
