"""Threads of a block read the others' elements of memory from new before these have been written."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int* buffer;
  int t = threadIdx.x;
  if (t == 0) buffer = new int[blockDim.x];
  __syncthreads();
  buffer[t] = x[t];  //! race //-
  //+ buffer[t] = x[t];
  //+ __syncthreads();
  out[t] = buffer[blockDim.x - 1 - t];  //! race //-
  //+ out[t] = buffer[blockDim.x - 1 - t];
  __syncthreads();
  if (t == 0) delete[] buffer;
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (x, out))
#+ np.testing.assert_array_equal(out.get(), x.get()[::-1])
