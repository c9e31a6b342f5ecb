#include <curand_kernel.h>

__global__ void start(curandState *states, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}
template <class State>
__device__ double drawn(unsigned long long seed) {
  State state;
  curand_init(seed, threadIdx.x, 4ULL, &state);
  skipahead(10, &state);
  return curand_uniform_double(&state) + curand_normal(&state) + curand_log_normal(&state, 0.5f, 2.0f);
}
extern "C" __global__ void draw(curandState *states, float *out) {
  curandState own = states[threadIdx.x];
  float2 pair = curand_normal2(&own);
  curandStatePhilox4_32_10_t philox;
  curand_init(7, threadIdx.x, 0, &philox);
  float4 four = curand_uniform4(&philox);
  uint4 bits = curand4(&philox);
  out[threadIdx.x] = pair.x + four.w + bits.y + drawn<curandStateMRG32k3a_t>(5);
  states[threadIdx.x] = own;
}
