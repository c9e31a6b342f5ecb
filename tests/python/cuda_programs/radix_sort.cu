// A pass of a stable radix sort by four bits: counts of digits a block, and then, with the counts'
// prefix sums (digit by digit, block by block), each key to its place.
typedef unsigned int uint;
#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)
#define BLOCK 128

__device__ __forceinline__ uint digitOf(uint key, int shift) {
  return (key >> shift) & (RADIX - 1);
}

__global__ void count(const uint *__restrict__ keys, uint *__restrict__ counts, int n, int shift) {
  __shared__ uint local[RADIX];
  if (threadIdx.x < RADIX)
    local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n)
    atomicAdd(&local[digitOf(keys[i], shift)], 1);
  __syncthreads();
  if (threadIdx.x < RADIX)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void scatter(const uint *__restrict__ keys, uint *__restrict__ sorted,
                        const uint *__restrict__ offsets, int n, int shift) {
  __shared__ uint warpCounts[BLOCK / 32][RADIX];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const bool valid = i < n;
  const uint key = valid ? keys[i] : 0u;
  const uint digit = digitOf(key, shift);
  const uint members = __ballot_sync(0xffffffff, valid);

  uint same = valid ? members : ~members;
#pragma unroll
  for (int bit = 0; bit < RADIX_BITS; ++bit) {
    uint vote = __ballot_sync(0xffffffff, digit >> bit & 1);
    same &= (digit >> bit & 1) ? vote : ~vote;
  }
  if (lane < RADIX)
    warpCounts[warp][lane] = 0;
  __syncwarp();
  const uint rank = __popc(same & ((1u << lane) - 1));
  if (valid && rank == 0)
    warpCounts[warp][digit] = __popc(same);
  __syncthreads();

  if (!valid)
    return;
  uint place = offsets[digit * gridDim.x + blockIdx.x] + rank;
  for (int w = 0; w < warp; ++w)
    place += warpCounts[w][digit];
  sorted[place] = key;
}
