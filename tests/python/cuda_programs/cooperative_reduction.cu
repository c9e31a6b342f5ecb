// Sums an array in one launch: every block leaves its sum, all blocks wait for each other, and the
// first one adds up what they left.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ float sumOfBlock(const cg::thread_block &block, float value) {
  __shared__ float warpSums[32];
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float sum = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0)
    warpSums[warp.meta_group_rank()] = sum;
  block.sync();
  sum = warp.thread_rank() < warp.meta_group_size() ? warpSums[warp.thread_rank()] : 0;
  return cg::reduce(warp, sum, cg::plus<float>());
}

extern "C" __global__ void sum(const float *in, float *partial, float *out, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  float value = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
    value += in[i];
  value = sumOfBlock(block, value);
  if (block.thread_rank() == 0)
    partial[blockIdx.x] = value;
  grid.sync();

  if (blockIdx.x != 0)
    return;
  value = 0;
  for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size())
    value += partial[i];
  value = sumOfBlock(block, value);
  if (block.thread_rank() == 0)
    *out = value;
}
