"""Doubles follow an odd number of floats in dynamic shared memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void split(const float* x, double* out, int n) {
  extern __shared__ __align__(16) char memory[];
  float* floats = (float*)memory;
  double* doubles = (double*)(memory + 4 * n);  //-
  //+ double* doubles = (double*)(memory + (4 * n + 7) / 8 * 8);
  int t = threadIdx.x;
  floats[t] = x[t];
  doubles[t] = 2.0 * x[t];  //! misaligned
  __syncthreads();
  out[t] = floats[n - 1 - t] + doubles[n - 1 - t];  //! misaligned
}
"""
x = np.arange(31, dtype=np.float32)
out = cp.zeros(31)
kernel = cp.RawKernel(SOURCE, "split")
kernel((1,), (31,), (cp.asarray(x), out, np.int32(31)), shared_mem=400)
#+ np.testing.assert_array_equal(out.get(), 3 * x[::-1])
