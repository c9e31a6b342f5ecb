"""A pointer in memory refers to a variable of the module. The kernel that uses it assumes more elements."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Filter {
  const float* weights;
  int width;
};
__device__ float weights[5] = {1, 2, 3, 2, 1};
__device__ Filter filter;
extern "C" __global__ void set_filter(int width) { filter = {weights, width}; }
extern "C" __global__ void blur(const float* x, float* out, int n) {
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < filter.width; ++i)
    if (t + i < n) sum += filter.weights[i] * x[t + i];  //! bounds
  out[t] = sum;
}
"""
module = cp.RawModule(code=SOURCE)
x, out = cp.ones(40, dtype=np.float32), cp.zeros(32, dtype=np.float32)
module.get_function("set_filter")((1,), (1,), (7,))  #-
#+ module.get_function("set_filter")((1,), (1,), (5,))
module.get_function("blur")((1,), (32,), (x, out, 40))
#+ assert out.get().tolist() == [9] * 32
