// Exclusive prefix sums: a work-efficient tree (up and down) for two elements a thread, each
// block's total kept aside; a second kernel adds what came before the block.
#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) scanBlocks(const int *in, int *out, int *totals, int n) {
  __shared__ int temp[2 * BLOCK + (2 * BLOCK) / NUM_BANKS];
  const int tid = threadIdx.x;
  const int base = blockIdx.x * 2 * BLOCK;
  const int ai = tid, bi = tid + BLOCK;
  temp[ai + CONFLICT_FREE_OFFSET(ai)] = base + ai < n ? in[base + ai] : 0;
  temp[bi + CONFLICT_FREE_OFFSET(bi)] = base + bi < n ? in[base + bi] : 0;

  int offset = 1;
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (tid == 0) {
    const int last = 2 * BLOCK - 1 + CONFLICT_FREE_OFFSET(2 * BLOCK - 1);
    totals[blockIdx.x] = temp[last];
    temp[last] = 0;
  }
  for (int d = 1; d < 2 * BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      int t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n)
    out[base + ai] = temp[ai + CONFLICT_FREE_OFFSET(ai)];
  if (base + bi < n)
    out[base + bi] = temp[bi + CONFLICT_FREE_OFFSET(bi)];
}

__global__ void addOffsets(int *out, const int *__restrict__ offsets, int perBlock, int n) {
  __shared__ int offset;
  if (threadIdx.x == 0)
    offset = offsets[blockIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < perBlock && blockIdx.x * perBlock + i < n; i += blockDim.x)
    out[blockIdx.x * perBlock + i] += offset;
}
