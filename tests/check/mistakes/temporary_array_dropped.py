"""A table keeps the address of a temporary array, which ends with the statement."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void first_of_each(float** rows, float* out) {
  out[threadIdx.x] = rows[threadIdx.x][0];  //! bounds //-
  //+ out[threadIdx.x] = rows[threadIdx.x][0];
}
"""
x = cp.arange(4, dtype=np.float32)
doubled = x * 2
table = cp.asarray(np.array([x.data.ptr, (x * 2).data.ptr], np.uint64))  #-
#+ table = cp.asarray(np.array([x.data.ptr, doubled.data.ptr], np.uint64))
out = cp.zeros(2, dtype=np.float32)
cp.RawKernel(SOURCE, "first_of_each")((1,), (2,), (table, out))
#+ assert out.get().tolist() == [0, 0]
