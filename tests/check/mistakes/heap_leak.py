"""A thread frees its memory only if it finds nothing."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void find(const int* x, int* out) {
  int t = threadIdx.x;
  int* copy = (int*)malloc(4 * sizeof(int));  //! leak
  for (int k = 0; k < 4; ++k) copy[k] = x[4 * t + k];
  out[t] = -1;
  for (int k = 0; k < 4; ++k)
    if (copy[k] % 7 == 0) {
      out[t] = copy[k];
      return;  //-
      //+ break;
    }
  free(copy);
}
"""
x = np.arange(64, dtype=np.int32) + 1
out = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "find")((1,), (16,), (cp.asarray(x), out))
#+ want = [next((v for v in row if v % 7 == 0), -1) for row in x.reshape(16, 4).tolist()]
#+ np.testing.assert_array_equal(out.get(), want)
