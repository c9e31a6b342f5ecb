"""The thread after the last one reads a structure past the end."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Point { float x, y, z; };
extern "C" __global__ void lengths(const Point* points, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = points[i + 1].x - points[i].x;  //! bounds  //? uncoalesced note //-
    //+ out[i] = (i + 1 < n ? points[i + 1].x : 0) - points[i].x;  //? uncoalesced note
}
"""
points = np.arange(96, dtype=np.float32).reshape(32, 3) ** 2
out = cp.zeros(32, dtype=np.float32)
cp.RawKernel(SOURCE, "lengths")((1,), (32,), (cp.asarray(points), out, np.int32(32)))
#+ np.testing.assert_array_equal(out.get(), np.diff(points[:, 0], append=np.float32(0)))
