"""A bitonic sort has no barrier between its steps."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sort(int* x) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t) {
        int a = s[t], b = s[other];  //! race
        if ((a > b) == ((t & k) == 0)) {
          s[t] = b;  //! race
          s[other] = a;  //! race
        }
      }
      //+ __syncthreads();
    }
  x[t] = s[t];  //? race
}
"""
start = (np.arange(64, dtype=np.int32) * 37) % 64
x = cp.asarray(start)
cp.RawKernel(SOURCE, "sort")((1,), (64,), (x,))
#+ np.testing.assert_array_equal(x.get(), np.arange(64))
