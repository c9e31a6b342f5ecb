"""Producers arrive and go on, and consumers wait, at two barrier objects."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/barrier>
typedef cuda::barrier<cuda::thread_scope_block> Barrier;
extern "C" __global__ void relay(const int* x, int* out) {
  __shared__ Barrier ready, filled;
  __shared__ int values[32];
  if (threadIdx.x == 0) {
    init(&ready, 64);
    init(&filled, 64);
  }
  __syncthreads();
  int i = threadIdx.x % 32, total = 0;
  for (int round = 0; round < 4; ++round)
    if (threadIdx.x < 32) {
      ready.arrive_and_wait();
      values[i] = x[32 * round + i];
      (void)filled.arrive();
    } else {
      (void)ready.arrive();
      filled.arrive_and_wait();
      total += values[31 - i];
    }
  if (threadIdx.x >= 32) out[i] = total;
}
"""
x = np.arange(128, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "relay")((1,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x.reshape(4, 32).sum(0)[::-1])
