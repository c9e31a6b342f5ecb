"""A shuffle gives the value of a lane whose variable has none."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* out, int n) {
  int t = threadIdx.x;
  int v;  //-
  //+ int v = 0;
  if (t < n) v = x[t];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);  //! uninit //-
    //+ v += __shfl_down_sync(0xffffffffu, v, d);
  if (t == 0) out[0] = v;
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (32,), (cp.asarray(x), out, np.int32(20)))
#+ assert out.get()[0] == 190
