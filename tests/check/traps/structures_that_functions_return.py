"""Functions return structures with padding, which nobody sets."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <tuple>
struct Step {
  double value;
  int next = 0;
  bool last = false;
  __device__ explicit Step(double value) : value(value) {}
};
__device__ Step make(const double* x, int i) {
  __syncthreads();
  return Step(2 * x[i]);
}
__device__ std::tuple<int, double, char> three(double x) { return {1, x, 'c'}; }
extern "C" __global__ void sum(const double* x, double* out) {
  Step step = make(x, threadIdx.x);
  step.next = threadIdx.x;
  Step copy = step;
  auto [a, b, c] = three(copy.value);
  out[threadIdx.x] = a + b + copy.next + (copy.last ? 1 : 0) + (c == 'c');
}
"""
x = np.arange(64.0)
out = cp.zeros(64)
cp.RawKernel(SOURCE, "sum", options=("-std=c++17",))((1,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), 2 + 3 * x)
