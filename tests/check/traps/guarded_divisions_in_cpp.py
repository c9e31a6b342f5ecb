"""Divisors of zero are replaced or skipped."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void ratios(const int* x, const int* y, int* out) {
  int i = threadIdx.x;
  out[i] = x[i] / (y[i] == 0 ? 1 : y[i]);
  out[i + 32] = y[i] ? x[i] % y[i] : 0;
  out[i + 64] = y[i] != 0 && x[i] / y[i] > 5;
  out[i + 96] = unsigned(x[i]) / max(unsigned(y[i]), 1u);
}
"""
x, y = np.arange(32, dtype=np.int32), np.arange(32, dtype=np.int32) % 4
out, safe = cp.zeros(128, dtype=np.int32), np.where(y, y, 1)
cp.RawKernel(SOURCE, "ratios")((1,), (32,), (cp.asarray(x), cp.asarray(y), out))
want = [x // safe, np.where(y, x % safe, 0), (y != 0) & (x // safe > 5), x // safe]
np.testing.assert_array_equal(out.get().reshape(4, 32), want)
