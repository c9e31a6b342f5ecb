// A separable filter on an image: rows, then columns, each with its halo in shared memory. The
// filter is in constant memory, set by the host. Outside the image there is zero.
#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define BLOCKDIM 32

__constant__ float c_Kernel[KERNEL_LENGTH];

extern "C" __global__ void convolutionRows(float *d_Dst, const float *d_Src, int imageW,
                                           int imageH) {
  __shared__ float s_Data[BLOCKDIM + 2 * KERNEL_RADIUS];
  const int baseX = blockIdx.x * BLOCKDIM - KERNEL_RADIUS;
  const int y = blockIdx.y;
  for (int i = threadIdx.x; i < BLOCKDIM + 2 * KERNEL_RADIUS; i += BLOCKDIM) {
    int x = baseX + i;
    s_Data[i] = (x >= 0 && x < imageW) ? d_Src[y * imageW + x] : 0;
  }
  __syncthreads();

  float sum = 0;
#pragma unroll
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
    sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.x + KERNEL_RADIUS + j];
  int x = baseX + KERNEL_RADIUS + threadIdx.x;
  if (x < imageW)
    d_Dst[y * imageW + x] = sum;
}

extern "C" __global__ void convolutionColumns(float *d_Dst, const float *d_Src, int imageW,
                                              int imageH) {
  __shared__ float s_Data[BLOCKDIM + 2 * KERNEL_RADIUS];
  const int x = blockIdx.x;
  const int baseY = blockIdx.y * BLOCKDIM - KERNEL_RADIUS;
  for (int i = threadIdx.x; i < BLOCKDIM + 2 * KERNEL_RADIUS; i += BLOCKDIM) {
    int y = baseY + i;
    s_Data[i] = (y >= 0 && y < imageH) ? d_Src[y * imageW + x] : 0;
  }
  __syncthreads();

  float sum = 0;
#pragma unroll
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
    sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.x + KERNEL_RADIUS + j];
  int y = baseY + KERNEL_RADIUS + threadIdx.x;
  if (y < imageH)
    d_Dst[y * imageW + x] = sum;
}
