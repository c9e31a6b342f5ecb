"""The launch that frees the tables of all blocks has too few threads."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void build(int** tables, int n) {
  int* table = new int[n];  //! leak
  for (int k = 0; k < n; ++k) table[k] = blockIdx.x * k;
  tables[blockIdx.x] = table;
}
extern "C" __global__ void release(int** tables, int* out, int n) {
  out[threadIdx.x] = tables[threadIdx.x][n - 1];
  delete[] tables[threadIdx.x];
}
"""
module = cp.RawModule(code=SOURCE)
tables, out = cp.zeros(8, dtype=np.int64), cp.zeros(8, dtype=np.int32)
module.get_function("build")((8,), (1,), (tables, np.int32(10)))
threads = 6  #-
#+ threads = 8
module.get_function("release")((1,), (threads,), (tables, out, np.int32(10)))
#+ np.testing.assert_array_equal(out.get(), 9 * np.arange(8))
