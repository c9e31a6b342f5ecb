"""A consumer waits by an exchange that also resets the flag: no lock, so that it needs no fence after it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void hand_over(const int* x, int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[0] = x[0] + x[1];
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicExch(flag, 0) == 0) {}
    out[0] = data[0];
  }
}
"""
x = np.array([40, 2], np.int32)
flag, data, out = (cp.zeros(1, dtype=np.int32) for _ in range(3))
cp.RawKernel(SOURCE, "hand_over")((2,), (1,), (cp.asarray(x), flag, data, out))
assert out.get()[0] == 42
