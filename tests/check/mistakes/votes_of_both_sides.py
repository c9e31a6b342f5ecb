"""Each side of a branch votes for itself, but with the mask of the whole warp."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void agree(const int* x, int* out) {
  int t = threadIdx.x;
  if (t < 8)
    out[t] = __all_sync(0xffffffffu, x[t] > 0);  //! warp //-
    //+ out[t] = __all_sync(0xffu, x[t] > 0);
  else
    out[t] = __any_sync(0xffffffffu, x[t] > 20);  //! warp //-
    //+ out[t] = __any_sync(0xffffff00u, x[t] > 20);
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "agree")((1,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x >= 8)
