"""Clamped and selected indices stay inside, although the unclamped ones do not."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void smooth(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = x[min(max(i - 1, 0), n - 1)], right = x[min(i + 1, n - 1)];
  int middle = i < n ? x[i] : 0;
  if (i < n) out[i] = left + middle + right;
}
"""
x = np.arange(50, dtype=np.int32) ** 2
out = cp.zeros(50, dtype=np.int32)
cp.RawKernel(SOURCE, "smooth")((2,), (32,), (cp.asarray(x), out, np.int32(50)))
padded = np.pad(x, 1, "edge")
np.testing.assert_array_equal(out.get(), padded[:-2] + x + padded[2:])
