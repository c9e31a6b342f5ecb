"""A thread allocates room for n numbers and writes n + 1."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sums(int n, int* out) {
  int* prefix = (int*)malloc(n * sizeof(int));  //-
  //+ int* prefix = (int*)malloc((n + 1) * sizeof(int));
  if (prefix == nullptr) return;
  prefix[0] = 0;
  for (int i = 0; i < n; ++i)
    prefix[i + 1] = prefix[i] + i;  //! bounds
  out[threadIdx.x] = prefix[n - 1];
  free(prefix);
}
"""
out = cp.zeros(8, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((1,), (8,), (10, out))
assert out.get().tolist() == [36] * 8
