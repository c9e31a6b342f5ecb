"""One lane per warp takes places for all active lanes."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void keep_odd(const int* x, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned odd = __ballot_sync(0xffffffffu, x[i] % 2 == 1);
  if (x[i] % 2 == 1) {
    int leader = __ffs(odd) - 1, start = 0;
    if (lane == leader) start = atomicAdd(count, __popc(odd));
    start = __shfl_sync(odd, start, leader);
    out[start + __popc(odd & ((1u << lane) - 1))] = x[i];
  }
}
"""
x = np.arange(128, dtype=np.int32) * 3
out, count = cp.zeros(128, dtype=np.int32), cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "keep_odd")((2,), (64,), (cp.asarray(x), out, count))
assert count.get()[0] == 64
np.testing.assert_array_equal(np.sort(out.get()[:64]), x[1::2])
