"""A local array is compared beyond the elements that are set."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void largest(const int* x, int* out, int n) {
  int kept[4], t = threadIdx.x;
  for (int k = 0; k < n; ++k) kept[k] = x[4 * t + k];  //? local-array note  //? uncoalesced note
  int best = kept[0];
  for (int k = 1; k < 4; ++k)  //-
  //+ for (int k = 1; k < n; ++k)
    if (kept[k] > best) best = kept[k];  //! uninit
  out[t] = best;  //? uninit
}
"""
x = np.arange(128, dtype=np.int32) * 37 % 128
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "largest")((1,), (32,), (cp.asarray(x), out, np.int32(3)))
#+ np.testing.assert_array_equal(out.get(), x.reshape(32, 4)[:, :3].max(1))
