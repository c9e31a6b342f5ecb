"""A lock and a flag that the kernel reaches through a structure in memory, released by volatile stores."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Counter { int* lock; int* count; };
struct Pipe { volatile int* ready; int* value; };
extern "C" __global__ void count(Counter* c) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(c->lock, 0, 1) != 0) {}
  __threadfence();
  *c->count += 1;
  __threadfence();
  *(volatile int*)c->lock = 0;
}
extern "C" __global__ void pass_on(Pipe* pipe, int* out) {
  if (threadIdx.x == 0) {
    while (*pipe->ready == 0) {}
    __threadfence();
    *out = *pipe->value;
  } else if (threadIdx.x == 40) {
    *pipe->value = 7;
    __threadfence();
    *pipe->ready = 1;
  }
}
"""
module = cp.RawModule(code=SOURCE)
cells = [cp.zeros(1, dtype=np.int32) for _ in range(5)]
lock, number, ready, value, out = cells
counter = cp.asarray(np.array([lock.data.ptr, number.data.ptr], np.uint64))
pipe = cp.asarray(np.array([ready.data.ptr, value.data.ptr], np.uint64))
module.get_function("count")((8,), (32,), (counter,))
module.get_function("pass_on")((1,), (64,), (pipe, out))
assert number.get()[0] == 8 and out.get()[0] == 7
