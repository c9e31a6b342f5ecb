"""Two `if`s, which the compiler joins to a switch with a trap as its default, send half of the threads to a barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(int* odd, int* out) {
  int t = (int)threadIdx.x;
  if (t % 2 == 1)
    atomicAdd(odd, 1);
  if (t % 2 == 0)  //-
    __syncthreads();  //! barrier //-
  //+ __syncthreads();
  out[t] = t;
}
"""
odd, out = cp.zeros(1, dtype=np.int32), cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((1,), (64,), (odd, out))
np.testing.assert_array_equal(out.get(), np.arange(64))
assert odd.get()[0] == 32
