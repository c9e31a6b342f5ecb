"""Threads allocate, use and free memory of the device's heap, which then belongs to others."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void medians(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* kept = (int*)malloc(n * sizeof(int));
  for (int k = 0; k < n; ++k) {
    int v = x[n * i + k], j = k;  //? uncoalesced note
    for (; j > 0 && kept[j - 1] > v; --j) kept[j] = kept[j - 1];
    kept[j] = v;
  }
  out[i] = kept[n / 2];
  free(kept);
}
"""
x = (np.arange(320, dtype=np.int32) * 37 % 101).reshape(64, 5)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "medians")((2,), (32,), (cp.asarray(x), out, np.int32(5)))
np.testing.assert_array_equal(out.get(), np.median(x, axis=1))
