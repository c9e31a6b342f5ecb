"""The host passes an array that starts in the middle of a double2."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void swap(const double2* x, double2* out) {
  double2 v = x[threadIdx.x];  //! misaligned
  out[threadIdx.x] = make_double2(v.y, v.x);
}
"""
x = cp.arange(66, dtype=np.float64)
out = cp.zeros(64)
cp.RawKernel(SOURCE, "swap")((1,), (32,), (x[1:], out))  #-
#+ cp.RawKernel(SOURCE, "swap")((1,), (32,), (x[2:], out))
#+ np.testing.assert_array_equal(out.get().reshape(32, 2), x.get()[2:].reshape(32, 2)[:, ::-1])
