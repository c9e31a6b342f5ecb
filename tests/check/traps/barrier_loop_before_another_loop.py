"""All threads leave a loop with barriers together; the next loop has a different trip count in each thread."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void sum_rounds(const int* x, const int* lengths, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < 2; round++) {
    for (int step = 1; step < 3; step++) {
      s[t] = x[t] * step + round;
      __syncthreads();
      sum += s[(t + step) % 64];
      __syncthreads();
    }
    for (int i = 0; i < lengths[t]; i++)
      sum += s[i];
    __syncthreads();
  }
  out[t] = sum;
}
"""
x = np.arange(64, dtype=np.int32)
lengths = (x % 5).astype(np.int32)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "sum_rounds")((1,), (64,), (cp.asarray(x), cp.asarray(lengths), out))
expected = np.zeros(64, np.int32)
for round in range(2):
    expected += np.roll(x, -1) + round + 2 * np.roll(x, -2) + round
    expected += [sum(2 * x[:n] + round) for n in lengths]
np.testing.assert_array_equal(out.get(), expected)
