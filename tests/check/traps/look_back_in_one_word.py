"""A scan whose blocks publish flag and value in one 64-bit word."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out, volatile unsigned long long* state) {
  __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x;
  int v = x[32 * b + t];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (t >= d) v += other;
  }
  if (t == 31) {
    unsigned long long packed = 1ull << 32;
    if (b > 0)
      while ((packed = state[b - 1]) >> 32 == 0) {}
    before = (int)packed;
    state[b] = 1ull << 32 | (unsigned)(before + v);
  }
  __syncthreads();
  out[32 * b + t] = before + v;
}
"""
x = np.arange(128, dtype=np.int32) % 17
out, state = cp.zeros(128, dtype=np.int32), cp.zeros(4, dtype=np.uint64)
cp.RawKernel(SOURCE, "scan")((4,), (32,), (cp.asarray(x), out, state))
np.testing.assert_array_equal(out.get(), x.cumsum())
