// Sums an array into one value: a grid-stride loop, then shuffles within warps, then one warp over
// the warps' sums, then one atomic addition a block.
#define FULL_MASK 0xffffffffu

__inline__ __device__ float warpReduceSum(float val) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(FULL_MASK, val, offset);
  return val;
}

__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;

  val = warpReduceSum(val);
  if (lane == 0)
    shared[wid] = val;
  __syncthreads();

  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0)
    val = warpReduceSum(val);
  return val;
}

__global__ void sum(const float *__restrict__ in, float *out, int n) {
  float total = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    total += in[i];
  total = blockReduceSum(total);
  if (threadIdx.x == 0)
    atomicAdd(out, total);
}
