"""A value of the input is the index of a local array, unchecked."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void mode(const int* x, int* out) {
  int counts[4] = {0, 0, 0, 0}, i = threadIdx.x;
  for (int k = 0; k < 8; ++k)
    counts[x[8 * i + k]]++;  //! bounds  //? uncoalesced note  //? local-array note //-
    //+ counts[x[8 * i + k] % 4]++;  //? uncoalesced note  //? local-array note
  int best = 0;
  for (int k = 1; k < 4; ++k)
    if (counts[k] > counts[best]) best = k;  //? local-array note
  out[i] = counts[best];
}
"""
x = np.arange(256, dtype=np.int32) * 5 % 6
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "mode")((1,), (32,), (cp.asarray(x), out))
#+ counts = [np.bincount(row % 4).max() for row in x.reshape(32, 8)]
#+ np.testing.assert_array_equal(out.get(), counts)
