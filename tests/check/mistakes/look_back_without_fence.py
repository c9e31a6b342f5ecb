"""Blocks of a scan publish their prefix with a flag, but no fence."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out, int* flags, int* prefixes) {
  __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x, v = x[32 * b + t];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (t >= d) v += other;
  }
  if (t == 31) {
    before = 0;
    if (b > 0) {
      while (atomicAdd(&flags[b - 1], 0) == 0) {}
      //+ __threadfence();
      before = prefixes[b - 1];  //! race
    }
    prefixes[b] = before + v;  //! race
    //+ __threadfence();
    atomicExch(&flags[b], 1);
  }
  __syncthreads();
  out[32 * b + t] = before + v;
}
"""
x = np.arange(128, dtype=np.int32) % 17
out, flags, prefixes = (cp.zeros(n, dtype=np.int32) for n in (128, 4, 4))
cp.RawKernel(SOURCE, "scan")((4,), (32,), (cp.asarray(x), out, flags, prefixes))
#+ np.testing.assert_array_equal(out.get(), x.cumsum())
