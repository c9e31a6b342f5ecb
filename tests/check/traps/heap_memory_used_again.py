"""Memory of the device heap passes from thread to thread: freed and allocated again, by atomics and by barriers."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Node { int value; Node* next; };
extern "C" __global__ void pass(const int* x, int* out, Node** box, int* total) {
  __shared__ Node* first;
  int t = threadIdx.x, sum = 0;
  for (int k = 1; k <= 4; ++k) {
    int* scratch = new int[4 * k];
    for (int i = 0; i < 4 * k; ++i) scratch[i] = x[t] + i;  //? uncoalesced note
    sum += scratch[4 * k - 1];
    delete[] scratch;
  }
  out[blockIdx.x * blockDim.x + t] = sum;

  if (t == 0) first = new Node{x[0], nullptr};
  __syncthreads();
  int seen = first->value;
  __syncthreads();
  if (t == 1) {
    delete first;
    first = new Node{seen + 1, nullptr};
    __threadfence();
    Node* old = (Node*)atomicExch((unsigned long long*)box, (unsigned long long)first);
    __threadfence();
    if (old) {
      atomicAdd(total, old->value);
      delete old;
    }
  }
}
"""
x = cp.arange(32, dtype=np.int32)
out, total = cp.zeros(96, dtype=np.int32), cp.zeros(1, dtype=np.int32)
box = cp.zeros(1, dtype=np.uint64)
module = cp.RawModule(code=SOURCE + r"""
extern "C" __global__ void empty(Node** box, int* total) {
  *total += (*box)->value;
  delete *box;
}
""")
module.get_function("pass")((3,), (32,), (x, out, box, total))
module.get_function("empty")((1,), (1,), (box, total))
np.testing.assert_array_equal(out.get(), np.tile(4 * x.get() + 3 + 7 + 11 + 15, 3))
assert total.get()[0] == 3
