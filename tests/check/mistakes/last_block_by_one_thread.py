"""Every thread adds to the output, and only thread 0's counter decides who reads it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void squares(const int* x, int* y, int* done, int* out) {
  __shared__ bool is_last;
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  y[i] = x[i] * x[i];  //! race
  __threadfence();  //-
  //+ __syncthreads();
  if (t == 0) {
    //+ __threadfence();
    is_last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last)
    for (int b = 0; b < gridDim.x; ++b)
      out[t] += y[b * 32 + 31 - t];  //! race
}
"""
x = np.arange(96, dtype=np.int32)
y, done, out = (cp.zeros(n, dtype=np.int32) for n in (96, 1, 32))
cp.RawKernel(SOURCE, "squares")((3,), (32,), (cp.asarray(x), y, done, out))
#+ np.testing.assert_array_equal(out.get(), (x**2).reshape(3, 32).sum(0)[::-1])
