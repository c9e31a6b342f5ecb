"""A kernel follows an address that the host has never allocated."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum_lists(int* const* lists, int* out) {
  int t = threadIdx.x;
  out[t] = lists[t][0];  //! bounds //-
  //+ out[t] = lists[t] ? lists[t][0] : 0;
}
"""
value = cp.full(1, 7, dtype=np.int32)
lists = cp.asarray(np.array([value.data.ptr, 0, value.data.ptr], np.uint64))
out = cp.zeros(3, dtype=np.int32)
cp.RawKernel(SOURCE, "sum_lists")((1,), (3,), (lists, out))
assert out.get().tolist() == [7, 0, 7]
