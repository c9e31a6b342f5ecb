"""A block waits for a volatile flag that another block sets after a fence."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void hand_over(const int* x, volatile int* flag, int* data, int* out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 2 * x[t];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0)
      while (*flag == 0) {}
    __syncthreads();
    out[t] = data[63 - t];
  }
}
"""
x = np.arange(64, dtype=np.int32)
flag, data, out = (cp.zeros(n, dtype=np.int32) for n in (1, 64, 64))
cp.RawKernel(SOURCE, "hand_over")((2,), (64,), (cp.asarray(x), flag, data, out))
np.testing.assert_array_equal(out.get(), 2 * x[::-1])
