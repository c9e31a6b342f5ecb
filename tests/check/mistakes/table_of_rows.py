"""A table holds a pointer to each row. The kernel takes the longest row's length for all of them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum_rows(float** rows, const int* lengths, int longest, float* out) {
  int row = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < longest; ++i) sum += rows[row][i];  //! bounds //-
  //+ for (int i = 0; i < lengths[row]; ++i) sum += rows[row][i];
  out[row] = sum;
}
"""
rows = [cp.ones(length, dtype=np.float32) for length in (5, 8, 3)]
table = cp.asarray(np.array([row.data.ptr for row in rows], np.uint64))
lengths = cp.asarray(np.array([row.size for row in rows], np.int32))
out = cp.zeros(3, dtype=np.float32)
cp.RawKernel(SOURCE, "sum_rows")((1,), (3,), (table, lengths, 8, out))
#+ assert out.get().tolist() == [5, 8, 3]
