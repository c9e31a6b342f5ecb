"""Threads store float2 at odd elements."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void fill(float* out, int n) {
  int i = 2 * threadIdx.x + 1;
  if (i + 1 < n) {
    *(float2*)(out + i) = make_float2(i, -i);  //! misaligned //-
    //+ out[i] = i;
    //+ out[i + 1] = -i;
  }
}
"""
out = cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "fill")((1,), (32,), (out, np.int32(64)))
#+ i = np.arange(1, 63, 2)
#+ np.testing.assert_array_equal(out.get()[1:63], np.stack([i, -i], 1).ravel())
