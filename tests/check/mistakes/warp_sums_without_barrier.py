"""The first warp adds the sums of all warps before they are written."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* out) {
  __shared__ int sums[4];
  int t = threadIdx.x, lane = t % 32, v = x[t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0)
    sums[t / 32] = v;  //! race
  //+ __syncthreads();
  if (t == 0)
    out[0] = sums[0] + sums[1] + sums[2] + sums[3];  //! race
}
"""
x = cp.arange(128, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (128,), (x, out))
#+ assert out.get()[0] == 127 * 64
