"""Blocks publish data by cuda::atomic_ref with release and acquire."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> Flag;
extern "C" __global__ void hand_over(const int* x, int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = x[0] * x[1];
    Flag(*flag).store(1, cuda::memory_order_release);
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
  }
}
"""
x = cp.arange(2, dtype=np.int32) + 6
flag, data, out = (cp.zeros(1, dtype=np.int32) for _ in range(3))
cp.RawKernel(SOURCE, "hand_over")((2,), (1,), (x, flag, data, out))
assert out.get()[0] == 42
