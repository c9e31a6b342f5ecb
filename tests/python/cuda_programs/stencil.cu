// A smoothing step on a grid with a star of radius R, its weights from the center out: a block loads
// its tile and a halo into shared memory. Beyond an edge are the values of the edge.
#define BX 16
#define BY 8

__device__ __forceinline__ int clampTo(int i, int n) { return min(max(i, 0), n - 1); }

template <int R>
__global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int nx, int ny,
                        const float *__restrict__ star) {
  __shared__ float tile[BY + 2 * R][BX + 2 * R];
  const int gx = blockIdx.x * BX, gy = blockIdx.y * BY;
  for (int y = threadIdx.y; y < BY + 2 * R; y += BY)
    for (int x = threadIdx.x; x < BX + 2 * R; x += BX)
      tile[y][x] = in[clampTo(gy + y - R, ny) * nx + clampTo(gx + x - R, nx)];
  __syncthreads();

  const int x = threadIdx.x + R, y = threadIdx.y + R;
  float value = star[0] * tile[y][x];
#pragma unroll
  for (int r = 1; r <= R; ++r)
    value += star[r] * (tile[y - r][x] + tile[y + r][x] + tile[y][x - r] + tile[y][x + r]);
  if (gx + threadIdx.x < nx && gy + threadIdx.y < ny)
    out[(gy + threadIdx.y) * nx + gx + threadIdx.x] = value;
}
