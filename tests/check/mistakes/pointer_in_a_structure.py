"""A kernel gets its arrays as members of a structure, and writes one element too many."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Vectors {
  const float* from;
  float* to;
  int n;
};
extern "C" __global__ void shift(Vectors v) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < v.n) v.to[t + 1] = v.from[t];  //! bounds //-
  //+ if (t + 1 < v.n) v.to[t + 1] = v.from[t];
}
"""
vectors = np.dtype([("from", np.uint64), ("to", np.uint64), ("n", np.int32)], align=True)
x, y = cp.arange(1000, dtype=np.float32), cp.zeros(1000, dtype=np.float32)
given = np.array([(x.data.ptr, y.data.ptr, 1000)], vectors)
cp.RawKernel(SOURCE, "shift")((4,), (256,), (given[0],))
#+ np.testing.assert_array_equal(y.get()[1:], x.get()[:-1])
