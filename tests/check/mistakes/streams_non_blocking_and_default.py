"""The default stream does not wait for a stream that was made as non-blocking."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void double_all(int* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;  //! race
}
extern "C" __global__ void copy(const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];  //! race
}
"""
module = cp.RawModule(code=SOURCE)
x, y = cp.asarray(np.arange(64, dtype=np.int32)), cp.zeros(64, np.int32)
side = cp.cuda.Stream(non_blocking=True)  #-
#+ side = cp.cuda.Stream()
with side:
    module.get_function("double_all")((2,), (32,), (x,))
module.get_function("copy")((2,), (32,), (x, y))
#+ np.testing.assert_array_equal(y.get(), 2 * np.arange(64))
