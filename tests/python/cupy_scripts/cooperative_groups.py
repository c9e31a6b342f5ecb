"""Cooperative groups: a block's sum, a tile's, numbers that a coalesced group takes, steps of a whole grid."""

import cupy as cp
import numpy as np

module = cp.RawModule(
    code=r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ int sum_of_group(cg::thread_group group, int* partial, int value) {
  int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    partial[rank] = value;
    group.sync();
    if (rank < half) value += partial[rank + half];
    group.sync();
  }
  return value;
}

extern "C" __global__ void sum_of_blocks(int* sum, const int4* x, int n) {
  extern __shared__ int partial[];
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    own += x[i].x + x[i].y + x[i].z + x[i].w;
  auto block = cg::this_thread_block();
  int total = sum_of_group(block, partial, own);
  if (block.thread_rank() == 0) atomicAdd(sum, total);
}

extern "C" __global__ void sum_of_tiles(int* sum, const int* x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int total = cg::reduce(tile, x[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(sum, total);
}

__device__ int next_places(int* count) {
  auto group = cg::coalesced_threads();
  int first;
  if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
  return group.shfl(first, 0) + group.thread_rank();
}

extern "C" __global__ void keep_multiples_of_3(int* kept, int* count, const int* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] % 3 == 0) kept[next_places(count)] = x[i];
}

extern "C" __global__ void smooth(float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = 0.5f * (a[(i + n - 1) % n] + a[(i + 1) % n]);
    grid.sync();
    float* swapped = a;
    a = b;
    b = swapped;
  }
}
""",
    enable_cooperative_groups=True,
)
x = cp.arange(1024, dtype=cp.int32)
total = cp.zeros(2, cp.int32)
module.get_function("sum_of_blocks")((4,), (64,), (total, x, 256), shared_mem=64 * 4)
module.get_function("sum_of_tiles")((8,), (128,), (total[1:], x))
print(total.tolist(), int(x.sum()))
kept, count = cp.zeros(1024, cp.int32), cp.zeros(1, cp.int32)
module.get_function("keep_multiples_of_3")((8,), (128,), (kept, count, x))
print(int(count[0]), bool((cp.sort(kept[: int(count[0])]) == x[::3]).all()))
a, b = cp.zeros(64, cp.float32), cp.zeros(64, cp.float32)
a[0] = 1
module.get_function("smooth")((2,), (32,), (a, b, np.int32(64), np.int32(4)))
print(a[:5].tolist())
