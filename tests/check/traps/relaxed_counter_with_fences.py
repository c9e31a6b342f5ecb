"""Relaxed atomics and separate fences publish data."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> Counter;
extern "C" __global__ void total_of(const int* x, int* partial, int* done, int* out) {
  int b = blockIdx.x, total = 0;
  partial[b] = x[2 * b] + x[2 * b + 1];
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  if (Counter(*done).fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1) {
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    for (int j = 0; j < gridDim.x; ++j) total += partial[j];
    *out = total;
  }
}
"""
x = np.arange(10, dtype=np.int32)
partial, done, out = (cp.zeros(n, dtype=np.int32) for n in (5, 1, 1))
cp.RawKernel(SOURCE, "total_of")((5,), (1,), (cp.asarray(x), partial, done, out))
assert out.get()[0] == 45
