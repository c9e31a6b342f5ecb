"""Some threads go around a loop with barriers and on, others return before it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void rotate(const int* x, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, v = x[t];
  if (t < 3) {
    v = -v;  //-
    //+ out[t] = -v;
    //+ return;
  } else {
    s[t] = v;
    if (t == 16)
      return;
    for (int i = 0; i < n; i++) {
      __syncthreads();  //! barrier
      v += s[t];
    }
  }
  out[t] = v;
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "rotate")((1,), (64,), (cp.asarray(x), out, np.int32(2)))
expected = np.where(x < 3, -x, 3 * x)
expected[16] = 0
np.testing.assert_array_equal(out.get(), expected)
