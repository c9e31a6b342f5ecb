"""Each thread sums a row, so that neighboring threads read elements that are a row apart."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum_rows(const float* a, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[n * i + k];  //! uncoalesced note //-
    //+ sum += a[gridDim.x * blockDim.x * k + i];
  sums[i] = sum;
}
"""
a = np.arange(64 * 40, dtype=np.float32).reshape(64, 40)
sums = cp.zeros(64, dtype=np.float32)
given = a
#+ given = np.ascontiguousarray(a.T)
cp.RawKernel(SOURCE, "sum_rows")((2,), (32,), (cp.asarray(given), sums, np.int32(40)))
#+ np.testing.assert_array_equal(sums.get(), a.sum(axis=1))
