"""Memory of the heap is freed and allocated again, and set before each use."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};
extern "C" __global__ void lists(const int* x, int* out) {
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < 3; ++round) {
    Node* head = nullptr;
    for (int k = 0; k < 4; ++k) head = new Node(x[4 * t + k], head);
    int* counts = (int*)malloc(4 * sizeof(int));
    for (int k = 0; k < 4; ++k) counts[k] = 0;
    while (head) {
      Node* next = head->next;
      counts[head->value % 4] += 1;
      sum += head->value;
      delete head;
      head = next;
    }
    sum += counts[0];
    free(counts);
  }
  out[t] = sum;
}
"""
x = np.arange(64, dtype=np.int32)
out = cp.zeros(16, dtype=np.int32)
cp.RawKernel(SOURCE, "lists")((1,), (16,), (cp.asarray(x), out))
np.testing.assert_array_equal(out.get(), 3 * (x.reshape(16, 4).sum(1) + 1))
