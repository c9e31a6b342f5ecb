"""An atomic counter lies in memory that cupy.empty has allocated."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count_odd(const int* x, int* n) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] % 2)
    atomicAdd(n, 1);  //! uninit
}
"""
x = cp.arange(64, dtype=np.int32)
n = cp.empty(1, dtype=np.int32)  #-
#+ n = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "count_odd")((2,), (32,), (x, n))
#+ assert n.get()[0] == 32
