"""A hash takes the remainder by a table size that is zero."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void slots(const int* keys, const int* sizes, int* out) {
  int i = threadIdx.x;
  out[i] = keys[i] % sizes[i];  //! division //-
  //+ out[i] = sizes[i] ? keys[i] % sizes[i] : -1;
}
"""
keys, sizes = np.arange(32, dtype=np.int32) * 7, np.arange(32, dtype=np.int32) % 5
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "slots")((1,), (32,), (cp.asarray(keys), cp.asarray(sizes), out))
#+ np.testing.assert_array_equal(out.get(), np.where(sizes, keys % np.maximum(sizes, 1), -1))
