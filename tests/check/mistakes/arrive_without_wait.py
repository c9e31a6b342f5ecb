"""Threads read the others' values after their arrival at a barrier, not after the wait."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/barrier>
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  s[t] = x[t];  //! race
  auto token = barrier.arrive();
  out[t] = s[63 - t];  //! race //-
  barrier.wait(std::move(token));
  //+ out[t] = s[63 - t];
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
