"""Objects are created in each iteration and only the last one is deleted."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Pair { int a, b; };
extern "C" __global__ void sums(const int* x, int* out) {
  int t = threadIdx.x, total = 0;
  Pair* pair = nullptr;
  for (int k = 0; k < 3; ++k) {
    //+ delete pair;
    pair = new Pair{x[t], k};  //! leak
    total += pair->a * pair->b;
  }
  delete pair;
  out[t] = total;
}
"""
x = np.arange(16, dtype=np.int32)
out = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((1,), (16,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), 3 * x)
