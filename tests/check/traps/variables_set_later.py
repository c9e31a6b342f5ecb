"""Variables are declared first and set later: by a function, in every branch, in a loop, across barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ bool find(const int* x, int n, int* place) {
  for (int k = 0; k < n; ++k)
    if (x[k] % 5 == 0) {  //? uncoalesced note
      *place = k;
      return true;
    }
  return false;
}
__device__ int depth(int n, int* steps) {
  int below;
  if (n < 2) below = 0;
  else below = depth(n / 2, steps);
  *steps = below + 1;  //? uncoalesced note
  return *steps;
}
extern "C" __global__ void search(const int* x, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x, place, sign, kept[3], steps;
  switch (t % 3) {
    case 0: sign = 1; break;
    case 1: sign = -1; break;
    default: sign = 2;
  }
  for (int k = 0; k < 3; ++k) kept[k] = k + t;
  s[t] = sign;
  __syncthreads();
  bool found = find(x + 8 * t, 8, &place);
  int sum;
  bool first = true;
  for (int k = 0; k < 3; ++k) {
    if (first) sum = 0;
    first = false;
    sum += kept[k];
  }
  __syncthreads();
  depth(t, &steps);
  out[t] = (found ? place : -1) + s[31 - t] * 0 + sum + steps * 0;
}
"""
x = np.arange(256, dtype=np.int32) + 1
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "search")((1,), (32,), (cp.asarray(x), out))
rows = x.reshape(32, 8) % 5 == 0
np.testing.assert_array_equal(out.get(), rows.argmax(1) + 3 * np.arange(32) + 3)
