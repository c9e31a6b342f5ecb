"""Shared memory holds doubles before all threads have read its integers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void mix(const int* x, double* out) {
  extern __shared__ __align__(16) char memory[];
  int* ints = (int*)memory;
  double* doubles = (double*)memory;
  int t = threadIdx.x;
  ints[t] = x[t];
  __syncthreads();
  int v = ints[31 - t];  //! race
  //+ __syncthreads();
  doubles[t] = v / 2.0;  //! race
  __syncthreads();
  out[t] = doubles[(t + 1) % 32];
}
"""
x = np.arange(32, dtype=np.int32)
out = cp.zeros(32)
cp.RawKernel(SOURCE, "mix")((1,), (32,), (cp.asarray(x), out), shared_mem=256)
#+ np.testing.assert_array_equal(out.get(), np.roll(x[::-1] / 2, -1))
