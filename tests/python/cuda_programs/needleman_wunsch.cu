// Aligns two sequences: the matrix of scores in tiles, one launch a diagonal of tiles, and within a
// tile one diagonal of cells at a time in shared memory.
#define BLOCK_SIZE 16

__device__ __host__ inline int maximum(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}

__global__ void needle(const int *__restrict__ reference, int *matrix, int cols, int penalty,
                       int diagonal, int firstTileColumn) {
  const int bx = firstTileColumn + blockIdx.x;
  const int by = diagonal - bx;
  const int tx = threadIdx.x;
  const int corner = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx;

  __shared__ int temp[BLOCK_SIZE + 1][BLOCK_SIZE + 1];
  __shared__ int ref[BLOCK_SIZE][BLOCK_SIZE];

  if (tx == 0)
    temp[0][0] = matrix[corner];
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    ref[ty][tx] = reference[corner + cols * (ty + 1) + tx + 1];
  temp[tx + 1][0] = matrix[corner + cols * (tx + 1)];
  temp[0][tx + 1] = matrix[corner + tx + 1];
  __syncthreads();

  for (int m = 0; m < 2 * BLOCK_SIZE - 1; m++) {
    const int x = tx + 1, y = m - tx + 1;
    if (y >= 1 && y <= BLOCK_SIZE)
      temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty,
                           temp[y - 1][x] - penalty);
    __syncthreads();
  }
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    matrix[corner + (ty + 1) * cols + tx + 1] = temp[ty + 1][tx + 1];
}
