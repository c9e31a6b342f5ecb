"""Threads write adjacent halves of words, in structures of mixed sizes."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Mixed { char a; unsigned char b; short c; int d; };
extern "C" __global__ void fill(Mixed* out) {
  __shared__ short s[64];
  int t = threadIdx.x;
  s[t] = 3 * t;
  if (t % 2 == 0) {
    out[t / 2].a = t;
    out[t / 2].c = s[t];
  } else {
    out[t / 2].b = t;
    out[t / 2].d = s[t];
  }
}
"""
kind = np.dtype([("a", np.int8), ("b", np.uint8), ("c", np.int16), ("d", np.int32)])
out = cp.zeros(32 * kind.itemsize, dtype=np.uint8)
cp.RawKernel(SOURCE, "fill")((1,), (64,), (out,))
found, i = out.get().view(kind), np.arange(32)
for name, want in zip("abcd", (2 * i, 2 * i + 1, 6 * i, 6 * i + 3)):
    np.testing.assert_array_equal(found[name], want)
