"""The fence of a last-block sum comes after the atomic counter."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void total_of(const int* x, int* partial, int* done, int* out) {
  __shared__ int s[64];
  __shared__ bool is_last;
  int t = threadIdx.x;
  s[t] = x[64 * blockIdx.x + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];  //! race
    //+ __threadfence();
    is_last = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();  //-
  }
  __syncthreads();
  if (is_last && t == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b)
      total += partial[b];  //! race
    out[0] = total;
  }
}
"""
x = np.arange(256, dtype=np.int32)
partial, done, out = (cp.zeros(n, dtype=np.int32) for n in (4, 1, 1))
cp.RawKernel(SOURCE, "total_of")((4,), (64,), (cp.asarray(x), partial, done, out))
#+ assert out.get()[0] == x.sum()
