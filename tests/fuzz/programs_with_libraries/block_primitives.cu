#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

extern "C" __global__ void sums(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using Scan = cub::BlockScan<int, 128>;
  using Warp = cub::WarpReduce<int, 16>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Warp::TempStorage warp[8];
  } storage;
  int i = blockIdx.x * 128 + threadIdx.x, before;
  int sum = Reduce(storage.reduce).Reduce(in[i], [](int a, int b) { return a > b ? a : b; });
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(in[i], before, sum);
  __syncthreads();
  out[i] = before + Warp(storage.warp[threadIdx.x / 16]).Sum(in[i]);
}
