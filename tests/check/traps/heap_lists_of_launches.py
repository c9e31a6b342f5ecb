"""One launch allocates nodes, and a later one frees them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Node { int value; Node* next; };
extern "C" __global__ void build(const int* x, Node** heads) {
  int t = threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k < t % 4; ++k) head = new Node{x[t] + k, head};
  heads[t] = head;
}
extern "C" __global__ void sum(Node** heads, int* out) {
  int t = threadIdx.x, total = 0;
  for (Node* node = heads[t]; node != nullptr;) {
    total += node->value;
    node->value = 0;
    Node* next = node->next;
    delete node;
    node = next;
  }
  out[t] = total;
}
"""
module = cp.RawModule(code=SOURCE)
x = np.arange(32, dtype=np.int32)
heads, out = cp.zeros(32, dtype=np.int64), cp.zeros(32, dtype=np.int32)
module.get_function("build")((1,), (32,), (cp.asarray(x), heads))
module.get_function("sum")((1,), (32,), (heads, out))
n = x % 4
np.testing.assert_array_equal(out.get(), n * x + n * (n - 1) // 2)
