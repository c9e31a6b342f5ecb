"""A grid-stride loop reads pairs, and the last pair is incomplete."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void pair_sums(const float* x, float* out, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; 2 * i < n; i += stride)
    out[i] = x[2 * i] + x[2 * i + 1];  //! bounds //-
    //+ out[i] = x[2 * i] + (2 * i + 1 < n ? x[2 * i + 1] : 0);
}
"""
x = np.arange(99, dtype=np.float32)
out = cp.zeros(50, dtype=np.float32)
cp.RawKernel(SOURCE, "pair_sums")((2,), (16,), (cp.asarray(x), out, np.int32(99)))
#+ np.testing.assert_array_equal(out.get(), np.append(x, 0).reshape(50, 2).sum(1).astype("f"))
