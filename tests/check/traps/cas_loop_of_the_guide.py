"""The compare-and-swap loop of CUDA's guide, whose plain look is a note."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ double atomic_multiply(double* address, double factor) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;  //? race note
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(factor * __longlong_as_double(assumed)));  //? race note
  } while (assumed != old);
  return __longlong_as_double(old);
}
extern "C" __global__ void multiply(const double* x, double* out) {
  atomic_multiply(out, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
"""
x = np.where(np.arange(64) % 16 == 0, 2.0, 1.0)
out = cp.ones(1)
cp.RawKernel(SOURCE, "multiply")((2,), (32,), (cp.asarray(x), out))
assert out.get()[0] == 16
