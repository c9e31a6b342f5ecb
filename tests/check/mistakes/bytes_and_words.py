"""Threads read whole words of bytes that other threads write."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void pack(const int* x, unsigned* out) {
  __shared__ __align__(4) unsigned char bytes[64];
  int t = threadIdx.x;
  bytes[t] = x[t];  //! race
  //+ __syncthreads();
  if (t < 16)
    out[t] = ((const unsigned*)bytes)[t];  //! race
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(16, dtype=np.uint32)
cp.RawKernel(SOURCE, "pack")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get().view(np.uint8), np.arange(64))
