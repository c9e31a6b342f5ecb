// Counts bytes into 256 bins: a histogram a block by atomics in shared memory, merged by atomics in
// global memory; and the plain form with global atomics alone. Four bytes are read at once.
typedef unsigned int uint;
constexpr int BINS = 256;

inline __device__ void addByte(uint *hist, uint data) { atomicAdd(hist + data, 1); }

inline __device__ void addWord(uint *hist, uint data) {
  addByte(hist, (data >> 0) & 0xFFU);
  addByte(hist, (data >> 8) & 0xFFU);
  addByte(hist, (data >> 16) & 0xFFU);
  addByte(hist, (data >> 24) & 0xFFU);
}

__global__ void histogramShared(uint *__restrict__ hist, const uint *__restrict__ data,
                                uint words) {
  __shared__ uint local[BINS];
  for (uint i = threadIdx.x; i < BINS; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += blockDim.x * gridDim.x)
    addWord(local, data[i]);
  __syncthreads();
  for (uint i = threadIdx.x; i < BINS; i += blockDim.x)
    atomicAdd(&hist[i], local[i]);
}

__global__ void histogramGlobal(uint *hist, const uchar4 *data, uint words) {
  uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words)
    return;
  uchar4 bytes = data[i];
  atomicAdd(&hist[bytes.x], 1u);
  atomicAdd(&hist[bytes.y], 1u);
  atomicAdd(&hist[bytes.z], 1u);
  atomicAdd(&hist[bytes.w], 1u);
}
