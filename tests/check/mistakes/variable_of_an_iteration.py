"""A variable that a loop's body declares is new in each iteration."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void hold(const int* x, int* out) {
  int t = threadIdx.x;
  //+ int last = 0;
  for (int k = 0; k < 4; ++k) {
    int last;  //-
    if (x[4 * t + k] % 3 == 0) last = x[4 * t + k];
    out[4 * t + k] = last + 1;  //! uninit //-
    //+ out[4 * t + k] = last + 1;
  }
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "hold")((1,), (16,), (cp.asarray(x), out))
#+ assert out.get()[0] == 1 and out.get()[4] == 1 and out.get()[7] == 7
