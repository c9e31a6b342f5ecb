"""Some threads pass a barrier by and go on."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, v = 0;
  if (t < n) {
    s[t] = x[t];
    __syncthreads();  //! barrier //-
    //+ }
    //+ __syncthreads();
    //+ if (t < n) {
    v = s[n - 1 - t];
  }
  out[t] = v;
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (cp.asarray(x), out, np.int32(40)))
#+ np.testing.assert_array_equal(out.get(), np.append(x[39::-1], np.zeros(24, np.int32)))
