// Sums an array in one launch: the last block to finish, known by a counter that wraps to zero,
// adds up the other blocks' sums, which it sees because of the fence before the counter.
__device__ unsigned int retirementCount = 0;

__device__ double reduceBlock(double *sdata, double value) {
  sdata[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      sdata[threadIdx.x] += sdata[threadIdx.x + s];
    __syncthreads();
  }
  return sdata[0];
}

extern "C" __global__ void reduceSinglePass(const double *__restrict__ in, volatile double *partial,
                                            double *out, unsigned int n) {
  extern __shared__ double sdata[];
  __shared__ bool amLast;
  double value = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  double sum = reduceBlock(sdata, value);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    unsigned int ticket = atomicInc(&retirementCount, gridDim.x - 1);
    amLast = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (!amLast)
    return;
  value = 0;
  for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
    value += partial[i];
  sum = reduceBlock(sdata, value);
  if (threadIdx.x == 0)
    *out = sum;
}
