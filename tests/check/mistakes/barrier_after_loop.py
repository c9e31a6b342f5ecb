"""The barrier of a tree reduction is after the loop, not in its body."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void block_max(const int* x, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half && s[t + half] > s[t])  //! race
      s[t] = s[t + half];  //! race
    //+ __syncthreads();
  }
  __syncthreads();  //-
  if (t == 0) out[0] = s[0];
}
"""
x = cp.asarray((np.arange(128, dtype=np.int32) * 37) % 101)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "block_max")((1,), (128,), (x, out))
#+ assert out.get()[0] == x.get().max()
