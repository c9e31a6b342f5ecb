"""A shuffle in a branch names all lanes of the warp."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* out, int n) {
  int t = threadIdx.x, v = 0;
  if (t < n) {
    v = x[t];
    for (int d = 8; d > 0; d /= 2)
      v += __shfl_down_sync(0xffffffffu, v, d);  //! warp //-
      //+ v += __shfl_down_sync(0x0000ffffu, v, d);
  }
  out[t] = v;
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (32,), (cp.asarray(x), out, np.int32(16)))
#+ assert out.get()[0] == 120
