"""CuPy gives the memory of a deleted array to a new one, with the old values in it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* bins) {
  atomicAdd(&bins[x[threadIdx.x] % 4], 1);  //! uninit //-
  //+ atomicAdd(&bins[x[threadIdx.x] % 4], 1);
}
"""
x = cp.asarray(np.arange(32, dtype=np.int32))
old = cp.zeros(4, dtype=np.int32)
del old
bins = cp.empty(4, dtype=np.int32)  #-
#+ bins = cp.zeros(4, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((1,), (32,), (x, bins))
#+ np.testing.assert_array_equal(bins.get(), [8, 8, 8, 8])
