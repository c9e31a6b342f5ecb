"""A shared array of bytes is read by words that start in the middle of others."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void pairs(const unsigned char* x, unsigned short* out) {
  __shared__ unsigned char bytes[64];
  int t = threadIdx.x;
  bytes[t] = x[t];
  bytes[32 + t] = x[32 + t];
  __syncthreads();
  out[t] = *(unsigned short*)&bytes[t + 1];  //! misaligned //-
  //+ out[t] = bytes[t + 1] | bytes[t + 2] << 8;
}
"""
x = np.arange(64, dtype=np.uint8)
out = cp.zeros(32, dtype=np.uint16)
cp.RawKernel(SOURCE, "pairs")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x[1:33] + 256 * x[2:34].astype(np.uint16))
