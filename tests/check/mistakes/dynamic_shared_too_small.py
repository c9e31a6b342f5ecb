"""The launch asks for less dynamic shared memory than the kernel uses."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const double* x, double* out) {
  extern __shared__ double s[];
  int t = threadIdx.x;
  s[t] = x[t];  //! bounds
  __syncthreads();
  out[t] = s[31 - t];  //! bounds
}
"""
x = cp.arange(32, dtype=np.float64)
out = cp.zeros(32)
cp.RawKernel(SOURCE, "reverse")((1,), (32,), (x, out), shared_mem=32 * 4)  #-
#+ cp.RawKernel(SOURCE, "reverse")((1,), (32,), (x, out), shared_mem=32 * 8)
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
