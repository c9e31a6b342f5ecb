"""A cooperative kernel has no grid barrier at the end of a step."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void diffuse(int* a, int* b, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];  //! race
    int* other = a;
    a = b;
    b = other;
    //+ cg::this_grid().sync();
  }
}
"""
x = np.arange(64, dtype=np.int32)
a, b = cp.asarray(x), cp.zeros(64, dtype=np.int32)
kernel = cp.RawKernel(SOURCE, "diffuse", enable_cooperative_groups=True)
kernel((2,), (32,), (a, b, np.int32(64), np.int32(3)))
#+ for _ in range(3):
#+     x = np.roll(x, 1) + np.roll(x, -1)
#+ np.testing.assert_array_equal(b.get(), x)
