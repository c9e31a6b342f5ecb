"""A shuffle stands where a warp barrier must order shared memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void mix(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = x[t];  //! race
  int first = __shfl_sync(0xffffffffu, x[t], 0);
  //+ __syncwarp();
  out[t] = s[31 - t] + first;  //! race
}
"""
x = cp.arange(32, dtype=np.int32) + 5
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "mix")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1] + 5)
