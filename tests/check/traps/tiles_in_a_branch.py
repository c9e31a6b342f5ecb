"""Whole tiles take a branch, synchronize and exchange values there."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void turn(const int* x, int* out) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x, rank = tile.thread_rank(), v = x[t];
  if (tile.meta_group_rank() % 2) {
    s[t] = v;
    tile.sync();
    v = s[t ^ 7] + tile.shfl(v, 0) + tile.any(rank == 3);
    if (rank >= 4) return;
  }
  out[t] = v;
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "turn")((1,), (64,), (cp.asarray(x), out))
odd = x // 8 % 2 == 1
want = np.where(odd, np.where(x % 8 < 4, (x ^ 7) + x // 8 * 8 + 1, 0), x)
np.testing.assert_array_equal(out.get(), want)
