"""CUDA's threadFenceReduction: the last block sums, and resets the counter with a plain store."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void total_of(const int* x, int* partial, unsigned* done, int* out) {
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
    partial[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    s[t] = t < gridDim.x ? partial[t] : 0;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
      if (t < half) s[t] += s[t + half];
      __syncthreads();
    }
    if (t == 0) {
      out[0] = s[0];
      *done = 0;
    }
  }
}
"""
x = np.arange(256, dtype=np.int32)
partial, out = cp.zeros(4, dtype=np.int32), cp.zeros(1, dtype=np.int32)
done = cp.zeros(1, dtype=np.uint32)
for _ in range(2):
    cp.RawKernel(SOURCE, "total_of")((4,), (64,), (cp.asarray(x), partial, done, out))
    assert out.get()[0] == x.sum()
