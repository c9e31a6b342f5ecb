"""A barrier expects all threads of the block, but only some of them arrive."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/barrier>
extern "C" __global__ void reverse(const int* x, int* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0)
    init(&barrier, blockDim.x);  //-
    //+ init(&barrier, n);
  __syncthreads();
  if (t < n) {
    s[t] = x[t];
    barrier.arrive_and_wait();  //! barrier //-
    //+ barrier.arrive_and_wait();
    out[t] = s[n - 1 - t];
  }
}
"""
x = cp.arange(40, dtype=np.int32)
out = cp.zeros(40, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (x, out, np.int32(40)))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
