"""A lane calls a warp barrier whose mask does not name it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = x[t];  //? race
  __syncwarp(0x7fffffffu);  //! warp //-
  //+ __syncwarp(0xffffffffu);
  out[t] = s[(t + 1) % 32];  //? race
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.roll(x, -1))
