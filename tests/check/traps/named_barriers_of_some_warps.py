"""Warps meet at barriers for some threads of the block: each half at its own one, then producers and consumers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void halves(const int* x, int* out) {
  __shared__ int s[128], buffer[64];
  int t = threadIdx.x, total = 0;
  s[t] = x[t];
  if (t < 64) {
    for (int step = 0; step < 3; ++step) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      int other = s[63 - t];
      asm volatile("bar.sync 1, 64;" ::: "memory");
      s[t] = other + step;
    }
  } else {
    asm volatile("bar.sync 2, %0;" ::"r"(64) : "memory");
    total = s[191 - t];
  }
  __syncthreads();
  total += s[127 - t];
  __syncthreads();
  if (t < 64) {
    buffer[t] = total;
    asm volatile("bar.sync 3, 96;" ::: "memory");
  } else if (t < 96) {
    asm volatile("bar.sync 3, 96;" ::: "memory");
    total += buffer[t - 32];
  }
  out[t] = total;
}
"""
x = np.arange(128, dtype=np.int32) ** 2
out = cp.zeros(128, dtype=np.int32)
cp.RawKernel(SOURCE, "halves")((1,), (128,), (cp.asarray(x), out))
s = x.copy()
s[:64] = x[:64][::-1] + 3
total = np.where(np.arange(128) < 64, 0, x[191 - np.maximum(np.arange(128), 64)]) + s[::-1]
total[64:96] += total[32:64]
np.testing.assert_array_equal(out.get(), total)
