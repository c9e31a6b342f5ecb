"""The first block to claim the state fills a table; the others wait for its final value, so it never comes second."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void use_table(int* state, int* table, int* out) {
  if (atomicCAS(state, 0, 1) == 0) {
    table[0] = 42;
    __threadfence();
    atomicExch(state, 2);
  } else {
    while (atomicAdd(state, 0) != 2) {}
  }
  out[blockIdx.x] = table[0];
}
"""
state, table, out = (cp.zeros(n, dtype=np.int32) for n in (1, 1, 4))
cp.RawKernel(SOURCE, "use_table")((4,), (1,), (state, table, out))
assert out.get().tolist() == [42] * 4
