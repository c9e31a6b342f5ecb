"""Blocks take tickets and wait until their number is served."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void append(int* next, volatile int* serving, int* log, int* count) {
  int ticket = atomicAdd(next, 1);
  while (*serving != ticket) {}
  __threadfence();
  log[*count] = ticket;
  *count += 1;
  __threadfence();
  *serving = ticket + 1;
}
"""
next, serving, count = (cp.zeros(1, dtype=np.int32) for _ in range(3))
log = cp.zeros(6, dtype=np.int32)
cp.RawKernel(SOURCE, "append")((6,), (1,), (next, serving, log, count))
assert log.get().tolist() == list(range(6))
