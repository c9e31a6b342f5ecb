"""Variables have a value only on some paths, and only these paths use it."""

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
__device__ int sum_before(const int* sums, int warp, int own) {
  int before, total = sums[0];
  for (int w = 1; w < 4; ++w) {
    if (warp == w) before = total;
    total += sums[w];
  }
  if (warp != 0) own = before + own;
  return own;
}
extern "C" __global__ void search(const int* x, int* out) {
  __shared__ int sums[4];
  int t = threadIdx.x, place;
  if (t < 4) sums[t] = x[t];
  __syncthreads();
  bool found = find(x + 2 * t, 2, &place);
  int copied = place;
  int kind = found ? 10 * copied : -1;
  if (found && copied > 0) kind += 5;
  if (!found || copied == 0) kind += 2;
  out[t] = sum_before(sums, t / 32, kind);
}
"""
x = np.arange(256, dtype=np.int32) + 1
out = cp.zeros(128, dtype=np.int32)
cp.RawKernel(SOURCE, "search")((1,), (128,), (cp.asarray(x), out))
rows = x.reshape(128, 2) % 5 == 0
kind = np.where(rows[:, 1], 15, np.where(rows[:, 0], 2, 1))
np.testing.assert_array_equal(out.get(), kind + np.repeat(np.cumsum([0, 1, 2, 3]), 32))
