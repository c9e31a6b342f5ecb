"""A bitonic sort swaps disjoint pairs between barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sort(int* x) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[64 * blockIdx.x + t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        int kept = s[t];
        s[t] = s[other];
        s[other] = kept;
      }
      __syncthreads();
    }
  x[64 * blockIdx.x + t] = s[t];
}
"""
start = np.arange(128, dtype=np.int32) * 37 % 128
x = cp.asarray(start)
cp.RawKernel(SOURCE, "sort")((2,), (64,), (x,))
np.testing.assert_array_equal(x.get().reshape(2, 64), np.sort(start.reshape(2, 64)))
