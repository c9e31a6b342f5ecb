"""A compare-and-swap loop whose first look is an atomic."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void multiply(const float* x, int* bits) {
  float factor = x[blockIdx.x * blockDim.x + threadIdx.x];
  int old = atomicAdd(bits, 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(factor * __int_as_float(assumed)));
  } while (old != assumed);
}
"""
x = np.where(np.arange(64) % 16 == 0, 2, 1).astype(np.float32)
bits = cp.asarray(np.ones(1, np.float32).view(np.int32))
cp.RawKernel(SOURCE, "multiply")((2,), (32,), (cp.asarray(x), bits))
assert bits.get().view(np.float32)[0] == 16
