"""Groups of several sizes synchronize the threads that exchange values."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void mix(const int* x, int* y, int* out) {
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  int t = block.thread_rank(), i = blockIdx.x * blockDim.x + t;
  s[t] = x[i];
  tile.sync();
  int v = s[t ^ 7];
  tile.sync();
  s[t] = v;
  warp.sync();
  v = s[t ^ 31];
  block.sync();
  s[t] = v;
  cg::sync(block);
  y[i] = s[t ^ 63];
  cg::this_grid().sync();
  out[i] = y[i ^ 127];
}
"""
x = np.arange(128, dtype=np.int32)
y, out = cp.zeros(128, dtype=np.int32), cp.zeros(128, dtype=np.int32)
kernel = cp.RawKernel(SOURCE, "mix", enable_cooperative_groups=True)
kernel((2,), (64,), (cp.asarray(x), y, out))
np.testing.assert_array_equal(out.get(), x ^ 7 ^ 31 ^ 63 ^ 127)
