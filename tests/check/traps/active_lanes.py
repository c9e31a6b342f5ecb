"""Lanes use the mask of those that run with them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void number(const int* x, int* out, int* count) {
  int t = threadIdx.x;
  if (x[t] % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
    out[t] = group.shfl(first, 0) + group.thread_rank();
  }
}
"""
x = np.arange(32, dtype=np.int32)
out, count = cp.zeros(32, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "number")((1,), (32,), (cp.asarray(x), out, count))
assert count.get()[0] == 11
assert sorted(out.get()[::3]) == list(range(11))
