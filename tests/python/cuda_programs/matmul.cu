// C = A * B for row-major matrices of any sizes: each block stages square tiles of A and B in
// shared memory, so that a value is read from global memory once a tile instead of once a product.
#define TILE 16

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M,
           int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    const int a = t * TILE + tx, b = t * TILE + ty;
    As[ty][tx] = (row < M && a < K) ? A[row * K + a] : 0.0f;
    Bs[ty][tx] = (b < K && col < N) ? B[b * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N)
    C[row * N + col] = sum;
}
