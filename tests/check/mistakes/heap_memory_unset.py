"""Memory from malloc is not zero."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* out) {
  int t = threadIdx.x;
  int* bins = (int*)malloc(4 * sizeof(int));
  //+ memset(bins, 0, 4 * sizeof(int));
  for (int k = 0; k < 8; ++k) bins[x[8 * t + k] % 4] += 1;  //! uninit  //? uncoalesced note //-
  //+ for (int k = 0; k < 8; ++k) bins[x[8 * t + k] % 4] += 1;  //? uncoalesced note
  int most = 0;
  for (int k = 0; k < 4; ++k) most = max(most, bins[k]);  //? uninit //-
  //+ for (int k = 0; k < 4; ++k) most = max(most, bins[k]);
  out[t] = most;
  free(bins);
}
"""
x = np.arange(128, dtype=np.int32) * 7 % 32
out = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((1,), (16,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), [np.bincount(row % 4).max() for row in x.reshape(16, 8)])
