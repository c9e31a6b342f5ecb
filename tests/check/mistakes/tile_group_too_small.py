"""Tiles of 16 threads wait for themselves, but values cross between tiles."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());  //-
  //+ auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  s[t] = x[t];  //! race
  tile.sync();
  out[t] = s[31 - t];  //! race
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
