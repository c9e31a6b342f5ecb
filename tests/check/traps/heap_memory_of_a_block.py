"""Thread 0 allocates memory that its block shares between barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const int* x, int* out) {
  __shared__ int* buffer;
  int t = threadIdx.x, start = blockIdx.x * blockDim.x;
  if (t == 0) buffer = new int[blockDim.x];
  __syncthreads();
  buffer[t] = x[start + t];
  __syncthreads();
  out[start + t] = buffer[blockDim.x - 1 - t];
  __syncthreads();
  if (t == 0) delete[] buffer;
}
"""
x = np.arange(96, dtype=np.int32)
out = cp.zeros(96, dtype=np.int32)
cp.RawKernel(SOURCE, "reverse")((3,), (32,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x.reshape(3, 32)[:, ::-1].ravel())
