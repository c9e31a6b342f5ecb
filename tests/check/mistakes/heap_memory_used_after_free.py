"""A thread follows a pointer in memory that it has freed."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Node { int value; Node* next; };
extern "C" __global__ void sums(const int* x, int* out) {
  int t = threadIdx.x, sum = 0;
  Node* head = nullptr;
  for (int k = 0; k < 4; ++k) head = new Node{x[t] + k, head};  //? leak
  while (head) {
    sum += head->value;
    //+ Node* next = head->next;
    delete head;
    head = head->next;  //! bounds //-
    //+ head = next;
  }
  out[t] = sum;
}
"""
x = cp.arange(32, dtype=np.int32)
out = cp.zeros(32, dtype=np.int32)
cp.RawKernel(SOURCE, "sums")((1,), (32,), (x, out))
#+ np.testing.assert_array_equal(out.get(), 4 * x.get() + 6)
