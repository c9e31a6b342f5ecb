"""A histogram in global memory counts without atomics."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void histogram(const unsigned char* x, int* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    h[x[i]]++;  //! race //-
    //+ atomicAdd(&h[x[i]], 1);
}
"""
x = cp.asarray((np.arange(200) * 7 % 16).astype(np.uint8))
h = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "histogram")((4,), (64,), (x, h, np.int32(200)))
#+ np.testing.assert_array_equal(h.get(), np.bincount(x.get(), minlength=16))
