"""A thread pushes more nodes of a tree than its local stack holds, by a pointer that advances."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void depth_first(const int* children, int* visited) {
  int stack[3], *top = stack;  //-
  //+ int stack[8], *top = stack;
  int count = 0;
  *top++ = 0;  //? local-array note
  for (int step = 0; step < 15 && top > stack; ++step) {
    int node = *--top;  //? bounds //? local-array note
    ++count;
    for (int c = 0; c < 2; ++c)
      if (node < 7) *top++ = children[2 * node + c];  //! bounds //? local-array note
  }
  visited[threadIdx.x] = count;
}
"""
children = cp.asarray(np.arange(1, 15, dtype=np.int32))
visited = cp.zeros(4, dtype=np.int32)
cp.RawKernel(SOURCE, "depth_first")((1,), (4,), (children, visited))
#+ assert visited.get().tolist() == [15] * 4
