// A reduction by any operation on any type for a block's size known when it is compiled: every loop
// of the tree is unrolled, and tests of the size leave nothing behind.
template <class T> struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<T *>(bytes);
  }
};

struct Sum {
  template <typename T> __device__ static constexpr T identity() { return T(0); }
  template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};

struct Max {
  template <typename T> __device__ static constexpr T identity() { return T(-1000000); }
  template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <class T, unsigned int blockSize, class Op, bool nIsPow2>
__global__ void reduce(const T *__restrict__ g_idata, T *__restrict__ g_odata, unsigned int n) {
  T *sdata = SharedMemory<T>();
  const Op op{};
  const unsigned int tid = threadIdx.x;
  const unsigned int gridSize = blockSize * 2 * gridDim.x;
  T value = Op::template identity<T>();

  for (unsigned int i = blockIdx.x * blockSize * 2 + tid; i < n; i += gridSize) {
    value = op(value, g_idata[i]);
    if (nIsPow2 || i + blockSize < n)
      value = op(value, g_idata[i + blockSize]);
  }
  sdata[tid] = value;
  __syncthreads();

  if constexpr (blockSize >= 512) {
    if (tid < 256)
      sdata[tid] = value = op(value, sdata[tid + 256]);
    __syncthreads();
  }
  if constexpr (blockSize >= 256) {
    if (tid < 128)
      sdata[tid] = value = op(value, sdata[tid + 128]);
    __syncthreads();
  }
  if constexpr (blockSize >= 128) {
    if (tid < 64)
      sdata[tid] = value = op(value, sdata[tid + 64]);
    __syncthreads();
  }
  if (tid < 32) {
    if (blockSize >= 64)
      value = op(value, sdata[tid + 32]);
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
      value = op(value, __shfl_down_sync(0xffffffff, value, offset));
  }
  if (tid == 0)
    g_odata[blockIdx.x] = value;
}
