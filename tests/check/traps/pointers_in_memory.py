"""Pointers in structures, tables, variables and lists reach every element of their arrays, and null ends a list."""

import numpy as np

import heddle
from heddle import cuda

SOURCE = r"""
struct Node { int value; Node* next; };
struct Vectors { float* from_one; float* last; int n; };
__device__ float* current;
extern "C" __global__ void link(Node* nodes, int n) {
  for (int i = 0; i < n; ++i) nodes[i] = {i, i + 1 < n ? nodes + i + 1 : nullptr};
}
extern "C" __global__ void follow(Node** lists, int* out) {
  int sum = 0;
  for (Node* n = lists[threadIdx.x]; n; n = n->next) sum += n->value;
  out[threadIdx.x] = sum;
}
// Counts from one, and backwards from the last element.
extern "C" __global__ void copy(Vectors v) {
  for (int i = 1; i <= v.n; ++i) v.last[i - v.n] = 2 * v.from_one[i];
}
extern "C" __global__ void choose(float* a, float* b, int which) { current = which ? a : b; }
extern "C" __global__ void add(int n) {
  for (float* p = current; p != current + n; ++p) *p += 1;
}
extern "C" __global__ void transpose(float** rows, int n) {
  for (int j = 0; j < n; ++j)
    if (j > int(threadIdx.x)) {
      float* mine = rows[threadIdx.x] + j;
      float* other = rows[j] + threadIdx.x;
      float kept = *mine;
      *mine = *other;
      *other = kept;
    }
}
"""
module = heddle.RawModule(code=SOURCE)


def launch(name, threads, *arguments):
    module.get_function(name)((1,), (threads,), arguments)


def address(array):
    return array.device_ctypes_pointer.value


nodes = [cuda.device_array(n, np.dtype([("v", "i4"), ("n", "u8")], align=True)) for n in (3, 5)]
for array in nodes:
    launch("link", 1, address(array), array.size)
out = cuda.device_array(2, np.int32)
launch("follow", 2, cuda.to_device(np.array([address(a) for a in nodes], np.uint64)), out)
assert out.copy_to_host().tolist() == [3, 10]

x, y = cuda.to_device(np.arange(33, dtype=np.float32)), cuda.to_device(np.zeros(33, np.float32))
vectors = np.dtype([("from_one", "u8"), ("last", "u8"), ("n", "i4")], align=True)
given = np.array([(address(x) - 4, address(y) + 4 * 32, 33)], vectors)
launch("copy", 1, given[0])
np.testing.assert_array_equal(y.copy_to_host(), 2 * np.arange(33))
for which in (0, 1):
    launch("choose", 1, x, y, which)
    launch("add", 1, 33)
np.testing.assert_array_equal(x.copy_to_host(), np.arange(33) + 1)

rows = [cuda.to_device(np.full(4, i, np.float32)) for i in range(4)]
launch("transpose", 4, cuda.to_device(np.array([address(r) for r in rows], np.uint64)), 4)
assert [r.copy_to_host().tolist() for r in rows] == [[0, 1, 2, 3]] * 4
