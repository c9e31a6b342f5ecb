"""A block adds up its bins while other threads still count."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void histogram(const int* x, int* h) {
  __shared__ int s[16];
  int t = threadIdx.x;
  if (t < 16) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[x[blockIdx.x * blockDim.x + t]], 1);  //! race
  //+ __syncthreads();
  if (t < 16)
    atomicAdd(&h[t], s[t]);  //! race
}
"""
x = cp.asarray(np.arange(128, dtype=np.int32) * 3 % 16)
h = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "histogram")((2,), (64,), (x, h))
#+ np.testing.assert_array_equal(h.get(), np.bincount(x.get(), minlength=16))
