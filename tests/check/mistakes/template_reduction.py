"""A reduction template has no barrier between the levels."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
template <typename T, int N>
__device__ T reduce(T* s, int t) {
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];  //! race
    //+ __syncthreads();
  }
  return s[0];  //? race
}
extern "C" __global__ void sums(const double* x, double* out) {
  __shared__ double s[64];
  int t = threadIdx.x;
  s[t] = x[64 * blockIdx.x + t];
  __syncthreads();
  double total = reduce<double, 64>(s, t);
  if (t == 0) out[blockIdx.x] = total;
}
"""
x = np.arange(128.0)
out = cp.zeros(2)
cp.RawKernel(SOURCE, "sums")((2,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x.reshape(2, 64).sum(1))
