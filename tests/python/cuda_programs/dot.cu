// The dot product of float64 vectors: two elements a load, warps' sums by shuffles, and the blocks'
// sums added by the loop over atomicCAS that predates atomicAdd on double.
__device__ double atomicAddDouble(double *address, double val) {
  unsigned long long int *address_as_ull = (unsigned long long int *)address;
  unsigned long long int old = *address_as_ull, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed,
                    __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void dot(const double *__restrict__ x, const double *__restrict__ y, double *result,
                    size_t n) {
  const double2 *x2 = reinterpret_cast<const double2 *>(x);
  const double2 *y2 = reinterpret_cast<const double2 *>(y);
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

  double sum = 0.0;
  for (size_t i = first; i < n / 2; i += stride)
    sum = fma(x2[i].x, y2[i].x, fma(x2[i].y, y2[i].y, sum));
  if (first == 0 && (n & 1))
    sum += x[n - 1] * y[n - 1];

  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if ((threadIdx.x & 31) == 0)
    atomicAddDouble(result, sum);
}
