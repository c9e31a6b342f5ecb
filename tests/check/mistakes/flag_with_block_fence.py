"""The fence before a flag covers the block, and the reader is in another block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void hand_over(const int* x, volatile int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[0] = x[0] + x[1];  //! race
    __threadfence_block();  //-
    //+ __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    out[0] = data[0];  //! race
  }
}
"""
x = cp.arange(2, dtype=np.int32) + 20
flag, data, out = (cp.zeros(1, dtype=np.int32) for n in range(3))
cp.RawKernel(SOURCE, "hand_over")((2,), (1,), (x, flag, data, out))
#+ assert out.get()[0] == 41
