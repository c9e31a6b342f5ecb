"""A warp sums in shared memory and relies on lockstep."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];  //! race
    //+ __syncwarp();
  }
  if (t == 0) out[0] = s[0];
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((1,), (32,), (x, out))
#+ assert out.get()[0] == 496
