"""A grid barrier made of an atomic counter has no fences."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ void wait_for_grid(unsigned* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    //+ __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}
    //+ __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void mirror(const int* x, int* y, int* out, unsigned* arrived) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 5 * x[i];  //! race
  wait_for_grid(arrived);
  out[i] = y[n - 1 - i];  //! race
}
"""
x = np.arange(96, dtype=np.int32)
y, out = cp.zeros(96, dtype=np.int32), cp.zeros(96, dtype=np.int32)
arrived = cp.zeros(1, dtype=np.uint32)
cp.RawKernel(SOURCE, "mirror")((3,), (32,), (cp.asarray(x), y, out, arrived))
#+ np.testing.assert_array_equal(out.get(), 5 * x[::-1])
