"""Kernels in two streams allocate and free memory on the device heap."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void squares(int* x) {
  int* mine = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x;
  x[threadIdx.x] = mine[0] * mine[3];
  free(mine);
}
"""
squares = cp.RawKernel(SOURCE, "squares")
streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
results = [cp.zeros(32, np.int32) for _ in streams]
for _ in range(2):
    for stream, x in zip(streams, results, strict=True):
        with stream:
            squares((1,), (32,), (x,))
cp.cuda.Device().synchronize()
np.testing.assert_array_equal(results[1].get(), np.arange(32) ** 2)
