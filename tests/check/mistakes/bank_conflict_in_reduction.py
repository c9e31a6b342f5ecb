"""A reduction whose active threads are a growing distance apart in shared memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum(const int* x, int* sums) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    int i = 2 * step * t;  //-
    //+ int i = t, step_down = 128 / step;
    if (i + step < 256)  //-
      s[i] += s[i + step];  //! bank-conflict note //-
    //+ if (t < step_down) s[i] += s[i + step_down];
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
"""
x = np.arange(512, dtype=np.int32)
sums = cp.zeros(2, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((2,), (256,), (cp.asarray(x), sums))
#+ np.testing.assert_array_equal(sums.get(), x.reshape(2, 256).sum(axis=1))
