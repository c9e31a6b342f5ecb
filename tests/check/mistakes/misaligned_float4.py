"""A float4 is loaded from an address that is not a multiple of 16."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sums(const float* x, float* out) {
  float4 v = *(const float4*)(x + 2 * threadIdx.x);  //! misaligned //-
  //+ const float* p = x + 2 * threadIdx.x;
  //+ float4 v = make_float4(p[0], p[1], p[2], p[3]);
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
"""
x = np.arange(64, dtype=np.float32)
out = cp.zeros(31, dtype=np.float32)
cp.RawKernel(SOURCE, "sums")((1,), (31,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), np.convolve(x, np.ones(4), "valid")[::2])
