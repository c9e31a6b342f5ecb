"""Threads and blocks link local variables by pointers in memory. Their stacks use the same addresses."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Node { int value; Node* next; };
struct Shape { virtual __device__ int area() const = 0; };
struct Square : Shape {
  int side;
  __device__ Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
__device__ int add_area(const Shape* shape, int* sum) { return *sum += shape->area(); }
extern "C" __global__ void ring(int* out) {
  Node a, b;
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a.value = t;
  b.value = -t;
  a.next = &b;  //? local-array note
  b.next = &a;  //? local-array note
  Node* head = t & 1 ? &a : &b;
  head->next->value += 1;
  out[t] = a.value + b.value;
}
extern "C" __global__ void areas(int* out) {
  int sums[2] = {0, 0};
  int* choice[2] = {sums, sums + 1};  //? local-array note
  Square square(threadIdx.x);
  for (int i = 0; i < 3; ++i) add_area(&square, choice[(i + threadIdx.x) % 2]);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sums[0] + sums[1];
}
"""
module = cp.RawModule(code=SOURCE)
out = cp.zeros(128, dtype=np.int32)
module.get_function("ring")((2,), (64,), (out,))
assert out.get().tolist() == [1] * 128
module.get_function("areas")((2,), (64,), (out,))
assert out.get().tolist() == [3 * (t % 64) ** 2 for t in range(128)]
