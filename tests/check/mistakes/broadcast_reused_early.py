"""Thread 0 writes the next shared value while others may still read the last one."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void weigh(const int* weights, int* out, int n) {
  __shared__ int weight;
  int t = threadIdx.x, total = 0;
  for (int i = 0; i < n; ++i) {
    if (t == 0)
      weight = weights[i];  //! race
    __syncthreads();
    total += weight * (t + i);  //! race
    //+ __syncthreads();
  }
  out[t] = total;
}
"""
weights = np.arange(5, dtype=np.int32) + 3
out = cp.zeros(48, dtype=np.int32)
cp.RawKernel(SOURCE, "weigh")((1,), (48,), (cp.asarray(weights), out, np.int32(5)))
#+ np.testing.assert_array_equal(out.get(), (np.arange(48)[:, None] + np.arange(5)) @ weights)
