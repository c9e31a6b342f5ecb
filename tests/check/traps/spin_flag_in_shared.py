"""One warp waits for a volatile flag in shared memory that another warp sets."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void hand_over(const int* x, int* out) {
  __shared__ volatile int flag;
  __shared__ int data;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    data = x[0] + x[1];
    __threadfence_block();
    flag = 1;
  } else if (t == 32) {
    while (flag == 0) {}
    __threadfence_block();
    out[0] = data;
  }
}
"""
x = cp.arange(2, dtype=np.int32) + 20
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "hand_over")((1,), (64,), (x, out))
assert out.get()[0] == 41
