"""A lock is taken by a compare-and-swap and released by a store: an atomic object's, and a volatile one."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
extern "C" __global__ void by_object(int* lock, int* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device> taken(*lock);
  for (bool done = false; !done;) {
    int free = 0;
    if (taken.compare_exchange_weak(free, 1, cuda::memory_order_acquire)) {
      *sum += 1;
      taken.store(0, cuda::memory_order_release);
      done = true;
    }
  }
}
extern "C" __global__ void by_pointer(volatile int* lock, int* sum) {
  for (bool done = false; !done;) {
    if (atomicCAS((int*)lock, 0, 1) == 0) {
      __threadfence();
      *sum += 1;
      __threadfence();
      *lock = 0;
      done = true;
    }
  }
}
"""
module = cp.RawModule(code=SOURCE, options=("-std=c++17",))
for name in ("by_object", "by_pointer"):
    lock, total = cp.zeros(1, dtype=np.int32), cp.zeros(1, dtype=np.int32)
    module.get_function(name)((2,), (64,), (lock, total))
    assert total.get()[0] == 128
