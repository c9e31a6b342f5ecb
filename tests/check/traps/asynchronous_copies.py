"""A block copies tiles asynchronously and waits before it reads them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* x, int* out, int n) {
  __shared__ __align__(16) int tile[32];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, total = 0;
  for (int start = 0; start < n; start += 32) {
    cg::memcpy_async(block, tile, x + start, sizeof tile);
    cg::wait(block);
    total += tile[31 - t];
    block.sync();
  }
  out[t] = total;
}
"""
x = np.arange(96, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((1,), (32,), (cp.asarray(x), out, np.int32(96)))
np.testing.assert_array_equal(out.get(), x.reshape(3, 32).sum(0)[::-1])
