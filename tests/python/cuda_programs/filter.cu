// Keeps an array's positive elements: the lanes that have one agree on a leader, which reserves
// places for all of them by one atomic addition a warp.
__device__ int atomicAggInc(int *ctr) {
  unsigned int active = __activemask();
  int leader = __ffs(active) - 1;
  int change = __popc(active);
  unsigned int rank = __popc(active & ((1u << (threadIdx.x % 32)) - 1));
  int warp_res;
  if (rank == 0)
    warp_res = atomicAdd(ctr, change);
  warp_res = __shfl_sync(active, warp_res, leader);
  return warp_res + rank;
}

extern "C" __global__ void filter(int *__restrict__ dst, int *nres, const int *__restrict__ src,
                                  int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n)
    return;
  if (src[i] > 0)
    dst[atomicAggInc(nres)] = src[i];
}
