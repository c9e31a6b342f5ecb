"""Warps reduce with shuffles, and one warp combines their sums after a barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* out) {
  __shared__ int sums[4];
  int t = threadIdx.x, v = x[t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  if (t < 4) {
    v = sums[t];
    v += __shfl_xor_sync(0xfu, v, 2);
    v += __shfl_xor_sync(0xfu, v, 1);
    if (t == 0) out[0] = v;
  }
}
"""
x = cp.arange(128, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (128,), (x, out))
assert out.get()[0] == 127 * 64
