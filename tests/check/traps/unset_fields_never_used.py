"""Structures are copied, passed and returned with fields that have no value, but nobody uses those."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Item { char kind; double weight; int next; };
__device__ Item make(char kind, double weight) {
  Item item;
  item.kind = kind;
  item.weight = weight;
  return item;
}
__device__ double weigh(Item item) { return item.kind ? item.weight : -item.weight; }
extern "C" __global__ void build(const double* x, Item* items, double* out) {
  __shared__ Item s[32];
  int i = threadIdx.x;
  Item mine[2];
  mine[i % 2] = make(i % 2, x[i]);  //? local-array note
  s[i] = mine[i % 2];
  __syncthreads();
  items[i] = s[31 - i];
  memcpy(&items[32 + i], &s[i], sizeof(Item));
  out[i] = weigh(items[i]) + items[32 + i].weight;
}
"""
x = np.arange(32, dtype=np.float64)
items, out = cp.empty(64 * 24, dtype=np.uint8), cp.zeros(32, dtype=np.float64)
cp.RawKernel(SOURCE, "build")((1,), (32,), (cp.asarray(x), items, out))
np.testing.assert_array_equal(out.get(), x[::-1] * np.where(np.arange(32) % 2, -1, 1) + x)
