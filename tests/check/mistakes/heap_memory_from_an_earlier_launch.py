"""A launch reads memory that an earlier launch has allocated and freed."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ int* kept;
extern "C" __global__ void make(int n) {
  kept = new int[n];
  for (int i = 0; i < n; ++i) kept[i] = i;
}
extern "C" __global__ void drop() { delete[] kept; }
extern "C" __global__ void read(int* out) {
  out[threadIdx.x] = kept[threadIdx.x];  //! bounds //-
  //+ out[threadIdx.x] = kept[threadIdx.x];
}
"""
module = cp.RawModule(code=SOURCE)
out = cp.zeros(8, dtype=np.int32)
module.get_function("make")((1,), (1,), (8,))
module.get_function("drop")((1,), (1,), ())  #-
module.get_function("read")((1,), (8,), (out,))
#+ module.get_function("drop")((1,), (1,), ())
