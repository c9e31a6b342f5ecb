#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto large = cg::tiled_partition<64>(block);
  auto warp = cg::tiled_partition<32>(block);
  auto label = cg::labeled_partition(warp, threadIdx.x % 3);
  auto half = cg::binary_partition(warp, threadIdx.x & 1);
  int i = block.thread_rank();
  out[i] = cg::reduce(large, in[i], cg::plus<int>()) + label.thread_rank() + half.size();
  if (i % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[i] += active.shfl(in[i], 0) + cg::invoke_one_broadcast(active, [&](int x) { return in[i] + x; }, 10);
  }
  cg::invoke_one(warp, [&] { atomicAdd(out, 1); });
  block.sync();
  warp.sync();
}
