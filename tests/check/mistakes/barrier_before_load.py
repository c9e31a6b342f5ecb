"""The barrier is before the store to shared memory, not after it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  __syncthreads();  //-
  s[t] = x[t];  //! race
  //+ __syncthreads();
  out[t] = s[(t + 33) % 64];  //! race
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), np.roll(x.get(), -33))
