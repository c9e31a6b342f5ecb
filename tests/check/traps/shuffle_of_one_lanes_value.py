"""One lane of a warp reserves places for all, and the others, whose variable is not set, take its value."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void keep_positive(const int* x, int* kept, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned active = __ballot_sync(0xffffffff, x[i] > 0);
  if (x[i] <= 0) return;
  int leader = __ffs(active) - 1, start;
  if (lane == leader) start = atomicAdd(count, __popc(active));
  start = __shfl_sync(active, start, leader);
  kept[start + __popc(active & ((1u << lane) - 1))] = x[i];
}
"""
x = np.arange(256, dtype=np.int32) * 37 % 101 - 50
kept, count = cp.zeros(256, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "keep_positive")((4,), (64,), (cp.asarray(x), kept, count))
np.testing.assert_array_equal(np.sort(kept.get()[: int(count[0])]), np.sort(x[x > 0]))
