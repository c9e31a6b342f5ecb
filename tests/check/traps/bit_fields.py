"""Bit fields and unions are set one part at a time."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Flags { unsigned low : 3, high : 5, rest : 24; };
union Word { unsigned whole; unsigned char bytes[4]; };
extern "C" __global__ void pack(const int* x, Flags* flags, unsigned* out) {
  __shared__ Flags s[32];
  int t = threadIdx.x;
  Flags mine;
  mine.low = x[t];
  mine.high = t;
  flags[t].low = mine.low;
  flags[t].high = mine.high;
  s[t].rest = t;
  s[t].low = 1;
  Word word;
  for (int k = 0; k < 4; ++k) word.bytes[k] = t + k;
  out[t] = word.whole + s[t].rest + flags[t].low;
}
"""
x = np.arange(32, dtype=np.int32)
flags, out = cp.empty(32, dtype=np.uint32), cp.zeros(32, dtype=np.uint32)
cp.RawKernel(SOURCE, "pack")((1,), (32,), (cp.asarray(x), flags, out))
np.testing.assert_array_equal(out.get(), x * 0x01010101 + 0x03020100 + x + x % 8)
