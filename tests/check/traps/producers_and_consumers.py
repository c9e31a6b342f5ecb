"""Half of the block fills a buffer that the other half empties, at two named barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void relay(const int* x, int* out) {
  __shared__ int buffer[64];
  int t = threadIdx.x % 64, total = 0;
  if (threadIdx.x < 64) {
    for (int step = 0; step < 4; ++step) {
      buffer[t] = x[64 * step + t];
      asm volatile("bar.sync 1;" ::: "memory");
      asm volatile("bar.sync 2;" ::: "memory");
    }
  } else {
    for (int step = 0; step < 4; ++step) {
      asm volatile("bar.sync 1;" ::: "memory");
      total += buffer[63 - t];
      asm volatile("bar.sync 2;" ::: "memory");
    }
    out[t] = total;
  }
}
"""
x = np.arange(256, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "relay")((1,), (128,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x.reshape(4, 64).sum(0)[::-1])
