// Sums an array, one partial sum a block: a tree in dynamic shared memory. The block's size must be
// a power of two.
extern "C" __global__ void reduce(const int *__restrict__ in, int *__restrict__ partial,
                                  unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + tid;

  int sum = (i < n) ? in[i] : 0;
  if (i + blockDim.x < n)
    sum += in[i + blockDim.x];
  sdata[tid] = sum;
  __syncthreads();

  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s)
      sdata[tid] = sum = sum + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    partial[blockIdx.x] = sum;
}
