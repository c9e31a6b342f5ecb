"""A thread frees memory that other threads of the block still read."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int* buffer;
  int t = threadIdx.x;
  if (t == 0) buffer = (int*)malloc(blockDim.x * sizeof(int));
  __syncthreads();
  buffer[t] = x[t];
  __syncthreads();
  out[t] = buffer[blockDim.x - 1 - t];  //! race //-
  if (t == blockDim.x - 1) free(buffer);  //! race //-
  //+ out[t] = buffer[blockDim.x - 1 - t];
  //+ __syncthreads();
  //+ if (t == blockDim.x - 1) free(buffer);
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (x, out))
np.testing.assert_array_equal(out.get(), x.get()[::-1])
