"""Only the thread that wrote a shared variable reads it before the barrier."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void pick(const int* x, int* out, int n) {
  __shared__ int s[4];
  int t = threadIdx.x, v = 1;
  if (t == 0) s[0] = x[0];
  if (t == 0) v += s[0];
  v = t < n ? v + x[t] : v;
  if (t < n) v += x[n - 1 - t];
  out[t] = v;
}
"""
x = np.arange(20, dtype=np.int32) + 5
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "pick")((1,), (32,), (cp.asarray(x), out, np.int32(20)))
want = np.ones(32, np.int32)
want[0] += 5
want[:20] += x + x[::-1]
np.testing.assert_array_equal(out.get(), want)
