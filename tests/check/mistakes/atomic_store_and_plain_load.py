"""A result that threads replace by an atomic store is read without an atomic load."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> Found;
extern "C" __global__ void search(const int* x, int* found, int* steps, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    if (*found) return;  //! race //-
    //+ if (Found(*found).load(cuda::memory_order_relaxed)) return;
    if (x[i] == 7)
      Found(*found).store(1, cuda::memory_order_relaxed);  //! race
    ++steps[blockIdx.x];
  }
}
"""
x = cp.arange(64, dtype=np.int32)
found, steps = cp.zeros(1, dtype=np.int32), cp.zeros(4, dtype=np.int32)
cp.RawKernel(SOURCE, "search")((4,), (1,), (x, found, steps, np.int32(64)))
assert found.get()[0] == 1
