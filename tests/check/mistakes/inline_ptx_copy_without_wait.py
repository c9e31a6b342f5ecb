"""A block reads a tile that cp.async copies, without a wait."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const float4* x, float* out) {
  __shared__ __align__(16) float4 tile[16];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(tile + t);
  if (t < 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(x + t) : "memory");  //! race
  //+ asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = ((float*)tile)[63 - t];  //! race
}
"""
x = np.arange(64, dtype="f")
out = cp.zeros(64, dtype="f")
cp.RawKernel(SOURCE, "reverse")((1,), (64,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), x[::-1])
