"""Each bin has a lock, and threads of a warp take turns."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void largest_two(const int* x, int* locks, int* best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, bin = x[i] % 4;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[bin], 0, 1) == 0) {
      __threadfence();
      if (x[i] > best[2 * bin]) {
        best[2 * bin + 1] = best[2 * bin];
        best[2 * bin] = x[i];
      } else if (x[i] > best[2 * bin + 1]) {
        best[2 * bin + 1] = x[i];
      }
      __threadfence();
      atomicExch(&locks[bin], 0);
      done = true;
    }
  }
}
"""
x = np.arange(64, dtype=np.int32) * 27 % 64
locks, best = cp.zeros(4, dtype=np.int32), cp.zeros(8, dtype=np.int32)
cp.RawKernel(SOURCE, "largest_two")((2,), (32,), (cp.asarray(x), locks, best))
assert best.get().tolist() == [60, 56, 61, 57, 62, 58, 63, 59]
