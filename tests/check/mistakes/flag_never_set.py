"""The thread that should set a flag in shared memory does not exist."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void relay(const int* x, int* out) {
  __shared__ volatile int ready;
  __shared__ int value;
  if (threadIdx.x == 0)
    ready = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x) {  //-
  //+ if (threadIdx.x == blockDim.x - 1) {
    value = x[0];
    __threadfence_block();
    ready = 1;
  } else if (threadIdx.x == 0) {
    while (!ready) {  //! barrier //-
    //+ while (!ready) {
    }
    __threadfence_block();
    out[0] = value;
  }
}
"""
x = cp.full(1, 7, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "relay")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), 7)
