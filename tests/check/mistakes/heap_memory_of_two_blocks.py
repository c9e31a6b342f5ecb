"""Two blocks count in one bin of a table that a third launch allocated, without atomic operations."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ int* table;
extern "C" __global__ void make() {
  table = new int[4];
  for (int k = 0; k < 4; ++k) table[k] = 0;
}
extern "C" __global__ void count(const int* x, int* out) {
  int* own = new int(x[blockIdx.x]);
  if (threadIdx.x == 0) {
    table[*own] += 1;  //! race //-
    //+ atomicAdd(&table[*own], 1);
  }
  delete own;
}
extern "C" __global__ void read(int* out) {
  for (int k = 0; k < 4; ++k) out[k] = table[k];
  delete[] table;
}
"""
module = cp.RawModule(code=SOURCE)
x = np.array([1, 2, 1, 1], np.int32)
out = cp.zeros(4, dtype=np.int32)
module.get_function("make")((1,), (1,), ())
module.get_function("count")((4,), (2,), (cp.asarray(x), out))
module.get_function("read")((1,), (1,), (out,))
np.testing.assert_array_equal(out.get(), np.bincount(x, minlength=4))
