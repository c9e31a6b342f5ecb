// The cheapest way down a grid of costs, one column left or right a row at most: several rows a
// launch, the columns at a block's edges computed by both neighbours.
#define BLOCK_SIZE 64
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void dynproc_kernel(int iteration, const int *gpuWall, const int *gpuSrc,
                               int *gpuResults, int cols, int rows, int startStep, int border) {
  __shared__ int prev[BLOCK_SIZE];
  __shared__ int result[BLOCK_SIZE];

  const int tx = threadIdx.x;
  const int small_block_cols = BLOCK_SIZE - iteration * 2;
  const int blkX = small_block_cols * (int)blockIdx.x - border;
  const int xidx = blkX + tx;
  const int validXmin = (blkX < 0) ? -blkX : 0;
  const int validXmax = MIN(BLOCK_SIZE - 1, cols - 1 - blkX);
  const int W = (tx - 1 < validXmin) ? validXmin : tx - 1;
  const int E = (tx + 1 > validXmax) ? validXmax : tx + 1;
  const bool isValid = IN_RANGE(tx, validXmin, validXmax);

  if (IN_RANGE(xidx, 0, cols - 1))
    prev[tx] = gpuSrc[xidx];
  __syncthreads();

  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
      computed = true;
      int shortest = MIN(prev[W], prev[tx]);
      shortest = MIN(shortest, prev[E]);
      result[tx] = shortest + gpuWall[cols * (startStep + i) + xidx];
    }
    __syncthreads();
    if (i == iteration - 1)
      break;
    if (computed)
      prev[tx] = result[tx];
    __syncthreads();
  }
  if (computed)
    gpuResults[xidx] = result[tx];
}
