"""A device function divides by a difference that is zero at the ends."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ unsigned long long share(unsigned long long a, unsigned long long b, unsigned n) {
  return a / (n - b) + b;  //! division //-
  //+ return b < n ? a / (n - b) + b : 0;
}
extern "C" __global__ void shares(const unsigned long long* x, unsigned long long* out, unsigned n) {
  int i = threadIdx.x;
  out[i] = share(x[i], i, n);
}
"""
x = np.arange(32, dtype=np.uint64) * 100
out = cp.zeros(32, dtype=np.uint64)
cp.RawKernel(SOURCE, "shares")((1,), (32,), (cp.asarray(x), out, np.uint32(31)))
#+ i = np.arange(31, dtype=np.uint64)
#+ np.testing.assert_array_equal(out.get(), np.append(x[:31] // (np.uint64(31) - i) + i, 0))
