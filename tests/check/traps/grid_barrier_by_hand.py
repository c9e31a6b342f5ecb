"""Blocks meet at a barrier made of an atomic counter and a volatile flag."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ void wait_for_grid(unsigned* arrived, volatile unsigned* step, unsigned now) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(arrived, 1) == gridDim.x * (now + 1) - 1) {
      __threadfence();
      *step = now + 1;
    } else {
      while (*step <= now) {}
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void mirror(const int* x, int* y, int* out, unsigned* arrived, unsigned* step) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 5 * x[i];
  wait_for_grid(arrived, step, 0);
  int v = y[n - 1 - i];
  wait_for_grid(arrived, step, 1);
  y[i] = v;
  out[i] = v;
}
"""
x = np.arange(96, dtype=np.int32)
y, out = cp.zeros(96, dtype=np.int32), cp.zeros(96, dtype=np.int32)
arrived, step = cp.zeros(1, dtype=np.uint32), cp.zeros(1, dtype=np.uint32)
cp.RawKernel(SOURCE, "mirror")((3,), (32,), (cp.asarray(x), y, out, arrived, step))
np.testing.assert_array_equal(out.get(), 5 * x[::-1])
