"""A scan in one pass: blocks publish sums and prefixes with flags."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scan(const int* x, int* out, volatile int* flags, int* sums,
                                int* prefixes, int* next) {
  __shared__ int block, before;
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t == 0) block = atomicAdd(next, 1);
  __syncthreads();
  s[t] = x[32 * block + t];
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int j = 0; j < 32; ++j) total += s[j];
    sums[block] = total;
    __threadfence();
    flags[block] = 1;
    int prefix = 0;
    for (int b = block - 1; b >= 0; --b) {
      int flag;
      do flag = flags[b];
      while (flag == 0);
      __threadfence();
      if (flag == 2) {
        prefix += prefixes[b];
        break;
      }
      prefix += sums[b];
    }
    prefixes[block] = prefix + total;
    __threadfence();
    flags[block] = 2;
    before = prefix;
  }
  __syncthreads();
  int v = before;
  for (int j = 0; j <= t; ++j) v += s[j];
  out[32 * block + t] = v;
}
"""
x = np.arange(256, dtype=np.int32) % 17
out = cp.zeros(256, dtype=np.int32)
flags, sums, prefixes, next = (cp.zeros(n, dtype=np.int32) for n in (8, 8, 8, 1))
cp.RawKernel(SOURCE, "scan")((8,), (32,), (cp.asarray(x), out, flags, sums, prefixes, next))
np.testing.assert_array_equal(out.get(), x.cumsum())
