"""Threads take places in an output with a plain increment."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void keep_positive(const int* x, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {
    int place = count[0]++;  //! race //-
    //+ int place = atomicAdd(count, 1);
    out[place] = x[i];  //? race
  }
}
"""
x = np.arange(100, dtype=np.int32) % 9 - 4
out = cp.zeros(100, dtype=np.int32)
count = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "keep_positive")((2,), (64,), (cp.asarray(x), out, count, np.int32(100)))
#+ found = out.get()[: count.get()[0]]
#+ np.testing.assert_array_equal(np.sort(found), np.sort(x[x > 0]))
