// The heat of a chip: a few time steps in one launch, on a tile whose valid part loses a ring of
// cells each step; neighbouring blocks' tiles overlap by as many rings.
#define BLOCK_SIZE 16
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))

__global__ void calculate_temp(int iteration, const float *power, const float *temp_src,
                               float *temp_dst, int grid_cols, int grid_rows, int border,
                               float step_div_Cap, float Rx_1, float Ry_1, float Rz_1) {
  __shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float power_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE];

  const float amb_temp = 80.0;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int small = BLOCK_SIZE - iteration * 2;
  const int blkY = small * blockIdx.y - border, blkX = small * blockIdx.x - border;
  const int yidx = blkY + ty, xidx = blkX + tx;
  const int index = grid_cols * yidx + xidx;

  if (IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1)) {
    temp_on_cuda[ty][tx] = temp_src[index];
    power_on_cuda[ty][tx] = power[index];
  }
  __syncthreads();

  const int validYmin = (blkY < 0) ? -blkY : 0;
  const int validYmax = min(BLOCK_SIZE - 1, grid_rows - 1 - blkY);
  const int validXmin = (blkX < 0) ? -blkX : 0;
  const int validXmax = min(BLOCK_SIZE - 1, grid_cols - 1 - blkX);
  const int N = max(ty - 1, validYmin), S = min(ty + 1, validYmax);
  const int W = max(tx - 1, validXmin), E = min(tx + 1, validXmax);

  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) &&
        IN_RANGE(tx, validXmin, validXmax) && IN_RANGE(ty, validYmin, validYmax)) {
      computed = true;
      const float here = temp_on_cuda[ty][tx];
      temp_t[ty][tx] =
          here + step_div_Cap * (power_on_cuda[ty][tx] +
                                 (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f * here) * Ry_1 +
                                 (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f * here) * Rx_1 +
                                 (amb_temp - here) * Rz_1);
    }
    __syncthreads();
    if (i == iteration - 1)
      break;
    if (computed)
      temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  if (computed)
    temp_dst[index] = temp_t[ty][tx];
}
