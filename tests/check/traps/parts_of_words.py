"""Words are written byte by byte and read as a whole, and the reverse."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void split(const unsigned* x, unsigned char* bytes, unsigned* out) {
  __shared__ unsigned short halves[64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) bytes[4 * t + k] = x[t] >> 8 * k;
  *(unsigned*)&halves[2 * t] = *(unsigned*)&bytes[4 * t];
  unsigned char own[4];
  *(unsigned short*)own = halves[2 * t];
  own[2] = bytes[4 * t + 2];
  own[3] = 0;
  out[t] = *(unsigned*)own;
}
"""
x = np.arange(32, dtype=np.uint32) * 0x1020304
bytes_, out = cp.empty(128, dtype=np.uint8), cp.zeros(32, dtype=np.uint32)
cp.RawKernel(SOURCE, "split")((1,), (32,), (cp.asarray(x), bytes_, out))
np.testing.assert_array_equal(out.get(), x & 0xFFFFFF)
