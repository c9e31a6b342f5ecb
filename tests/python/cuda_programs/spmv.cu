// y = A x for a sparse matrix by compressed rows: with a thread a row, and with a warp a row, whose
// lanes add up their parts by shuffles.
template <typename T>
__global__ void spmv_csr_scalar(int rows, const int *__restrict__ rowPtr,
                                const int *__restrict__ colIdx, const T *__restrict__ values,
                                const T *__restrict__ x, T *__restrict__ y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    T dot = 0;
    for (int j = rowPtr[row]; j < rowPtr[row + 1]; j++)
      dot += values[j] * __ldg(&x[colIdx[j]]);
    y[row] = dot;
  }
}

template <typename T>
__global__ void spmv_csr_vector(int rows, const int *__restrict__ rowPtr,
                                const int *__restrict__ colIdx, const T *__restrict__ values,
                                const T *__restrict__ x, T *__restrict__ y) {
  const int row = (blockDim.x * blockIdx.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x & (warpSize - 1);
  if (row >= rows)
    return;
  T sum = 0;
  for (int j = rowPtr[row] + lane; j < rowPtr[row + 1]; j += warpSize)
    sum += values[j] * x[colIdx[j]];
#pragma unroll
  for (int offset = 16; offset; offset >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    y[row] = sum;
}
