"""The mask is that of the lanes for which another condition holds."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void largest(const int* x, int* out) {
  int t = threadIdx.x, v = x[t];
  unsigned mask = __ballot_sync(0xffffffffu, v > 10);  //-
  //+ unsigned mask = __ballot_sync(0xffffffffu, v >= 10);
  int most = -1;
  if (v >= 10) most = __reduce_max_sync(mask, v);  //! warp //-
  //+ if (v >= 10) most = __reduce_max_sync(mask, v);
  out[t] = most;
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "largest")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.where(x >= 10, 31, -1))
