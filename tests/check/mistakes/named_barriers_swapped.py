"""Producers and consumers meet at one named barrier where they need two."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void relay(const int* x, int* out) {
  __shared__ int buffer[32];
  int t = threadIdx.x % 32, total = 0;
  if (threadIdx.x < 32) {
    for (int step = 0; step < 4; ++step) {
      buffer[t] = x[32 * step + t];  //! race
      asm volatile("bar.sync 1;" ::: "memory");
      //+ asm volatile("bar.sync 2;" ::: "memory");
    }
  } else {
    for (int step = 0; step < 4; ++step) {
      asm volatile("bar.sync 1;" ::: "memory");
      total += buffer[31 - t];  //! race
      //+ asm volatile("bar.sync 2;" ::: "memory");
    }
    out[t] = total;
  }
}
"""
x = np.arange(128, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "relay")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x.reshape(4, 32).sum(0)[::-1])
