"""A plain look before a compare-and-swap loop: legal in practice, but worth a note."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ double atomic_largest(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;  //! race note //-
  //+ unsigned long long old = 0, assumed;
  do {
    assumed = old;
    double larger = fmax(value, __longlong_as_double(assumed));
    old = atomicCAS(bits, assumed, __double_as_longlong(larger));  //! race note
  } while (old != assumed);
  return __longlong_as_double(old);
}
extern "C" __global__ void largest(const double* x, double* best) {
  atomic_largest(best, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
"""
x = cp.asarray(np.arange(64) * 29.0 % 61)
best = cp.zeros(1)
cp.RawKernel(SOURCE, "largest")((2,), (32,), (x, best))
#+ assert best.get()[0] == x.get().max()
