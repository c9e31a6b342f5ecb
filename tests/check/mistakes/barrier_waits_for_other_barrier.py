"""Some threads wait at a barrier object, the others at the barrier of the block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/barrier>
extern "C" __global__ void pairs(const int* x, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  s[t] = x[t];
  if (t < 32)  //-
    barrier.arrive_and_wait();  //! barrier //-
  else  //-
    __syncthreads();  //! barrier //-
  //+ barrier.arrive_and_wait();
  out[t] = s[t ^ 1];
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "pairs")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get() ^ 1)
