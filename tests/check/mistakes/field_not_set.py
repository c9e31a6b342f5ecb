"""A structure is used although one of its fields has no value."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Range { int first, count; };
__device__ Range rangeOf(const int* starts, int i, int n) {
  Range r;
  r.first = starts[i];
  if (i + 1 < n)  //-
    r.count = starts[i + 1] - starts[i];  //-
  //+ r.count = i + 1 < n ? starts[i + 1] - starts[i] : 0;
  return r;
}
extern "C" __global__ void ends(const int* starts, int* out, int n) {
  int i = threadIdx.x;
  Range r = rangeOf(starts, i, n);
  out[i] = r.first + r.count;  //! uninit //-
  //+ out[i] = r.first + r.count;
}
"""
starts = np.arange(32, dtype=np.int32) * 3
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "ends")((1,), (32,), (cp.asarray(starts), out, np.int32(32)))
#+ np.testing.assert_array_equal(out.get(), np.append(starts[1:], starts[-1]))
