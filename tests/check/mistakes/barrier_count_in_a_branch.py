"""A counting barrier is the right operand of `&&`, so that not all threads reach it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* out) {
  int t = threadIdx.x, odd = x[t] % 2;
  bool first = odd && __syncthreads_count(odd) > 16;  //! barrier //-
  //+ int all = __syncthreads_count(odd);
  //+ bool first = odd && all > 16;
  __syncthreads();  //? barrier
  out[t] = first;
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((1,), (64,), (cp.asarray(x), out))
#+ np.testing.assert_array_equal(out.get(), x % 2)
