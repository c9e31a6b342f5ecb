"""Blocks wait until a counter has counted one block more than there are."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void mirror(const int* x, int* y, int* out, int* arrived) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[i] = 2 * x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) <= gridDim.x) {  //! barrier //-
    //+ while (atomicAdd(arrived, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();  //? barrier //-
  //+ __syncthreads();
  out[i] = y[n - 1 - i];
}
"""
x = cp.arange(64, dtype=np.int32)
y, out, arrived = (cp.zeros(n, dtype=np.int32) for n in (64, 64, 1))
cp.RawKernel(SOURCE, "mirror")((2,), (32,), (x, y, out, arrived))
#+ np.testing.assert_array_equal(out.get(), 2 * x.get()[::-1])
