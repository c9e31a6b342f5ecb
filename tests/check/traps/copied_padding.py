"""Structures with padding are copied through shared and local memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Item { char kind; double value; };
extern "C" __global__ void reverse(const Item* x, Item* out) {
  __shared__ Item s[32];
  int t = threadIdx.x;
  Item mine;
  mine.kind = x[t].kind + 1;  //? uncoalesced note
  mine.value = -x[t].value;
  s[t] = mine;
  __syncthreads();
  out[t] = s[31 - t];
}
"""
kind = np.dtype([("kind", np.int8), ("value", np.float64)], align=True)
x = np.zeros(32, kind)
x["kind"], x["value"] = np.arange(32), np.arange(32) / 2
out = cp.zeros(32 * kind.itemsize, dtype=np.uint8)
cp.RawKernel(SOURCE, "reverse")((1,), (32,), (cp.asarray(x.view(np.uint8)), out))
found = out.get().view(kind)
np.testing.assert_array_equal(found["kind"], x["kind"][::-1] + 1)
np.testing.assert_array_equal(found["value"], -x["value"][::-1])
