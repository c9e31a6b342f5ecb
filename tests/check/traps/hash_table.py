"""Threads claim slots of a hash table with compare-and-swap, and only the owner writes the value."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void insert(const int* keys, int* table, int* values, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i], slot = key * 7 % size;
  while (true) {
    int old = atomicCAS(&table[slot], -1, key);
    if (old == -1) values[slot] = 10 * key;
    if (old == -1 || old == key) return;
    slot = (slot + 1) % size;
  }
}
"""
keys = np.arange(64, dtype=np.int32) % 40
table, values = cp.full(64, -1, dtype=np.int32), cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "insert")((2,), (32,), (cp.asarray(keys), table, values, np.int32(64)))
found = table.get()
assert sorted(found[found >= 0]) == list(range(40))
np.testing.assert_array_equal(values.get()[found >= 0], 10 * found[found >= 0])
