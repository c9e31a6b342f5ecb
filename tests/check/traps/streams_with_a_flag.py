"""A kernel waits for a flag that a kernel in another stream sets, and only then reads its results."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void produce(int* x, int* flag) {
  x[threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
extern "C" __global__ void consume(const int* x, volatile int* flag, int* y) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    __threadfence();
  }
  __syncthreads();
  y[threadIdx.x] = 2 * x[threadIdx.x];
}
"""

module = cp.RawModule(code=SOURCE)
x, y, flag = cp.zeros(32, np.int32), cp.zeros(32, np.int32), cp.zeros(1, np.int32)
first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
with first:
    module.get_function("produce")((1,), (32,), (x, flag))
with second:
    module.get_function("consume")((1,), (32,), (x, flag, y))
cp.cuda.Device().synchronize()
np.testing.assert_array_equal(y.get(), 2 * np.arange(32))
