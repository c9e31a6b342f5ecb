"""A kernel copies float4s from an array that starts in the middle of one."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void copy(const float4* x, float4* out) {
  out[threadIdx.x] = x[threadIdx.x];  //! misaligned
}
"""
x = cp.arange(132, dtype=np.float32)
out = cp.zeros(128, dtype=np.float32)
cp.RawKernel(SOURCE, "copy")((1,), (32,), (x[1:], out))  #-
#+ cp.RawKernel(SOURCE, "copy")((1,), (32,), (x[4:], out))
#+ np.testing.assert_array_equal(out.get(), x.get()[4:])
