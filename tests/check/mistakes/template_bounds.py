"""A template reads one element more than its width."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
template <int N>
__device__ int dot(const int* a, const int* b) {
  int total = 0;
  for (int k = 0; k <= N; ++k)  //-
  //+ for (int k = 0; k < N; ++k)
    total += a[k] * b[k];  //! bounds
  return total;
}
extern "C" __global__ void norms(const int* x, int* out) {
  const int* row = x + 8 * threadIdx.x;
  out[threadIdx.x] = dot<8>(row, row);
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(8, dtype=np.int32)
cp.RawKernel(SOURCE, "norms")((1,), (8,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), (x.reshape(8, 8) ** 2).sum(1))
