"""A histogram counts into shared bins that nobody has set to zero."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void histogram(const int* x, int* h) {
  __shared__ int s[8];
  int t = threadIdx.x;
  //+ if (t < 8) s[t] = 0;
  //+ __syncthreads();
  atomicAdd(&s[x[t]], 1);  //! uninit
  __syncthreads();
  if (t < 8) h[t] = s[t];  //? uninit
}
"""
x = np.arange(64, dtype=np.int32) * 5 % 8
h = cp.zeros(8, dtype=np.int32)
cp.RawKernel(SOURCE, "histogram")((1,), (64,), (cp.asarray(x), h))
#+ np.testing.assert_array_equal(h.get(), np.bincount(x))
