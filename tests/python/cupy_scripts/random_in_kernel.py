"""Random numbers of cuRAND's device interface."""

import cupy as cp

source = r"""
#include <curand_kernel.h>
extern "C" __global__ void pi(unsigned long long seed, int n, unsigned* inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(seed, i, 0, &state);
  unsigned count = 0;
  for (int k = 0; k < n; ++k) {
    float x = curand_uniform(&state), y = curand_uniform(&state);
    count += x * x + y * y <= 1.0f;
  }
  atomicAdd(inside, count);
}
"""
kernel = cp.RawKernel(source, "pi")
inside = cp.zeros(1, dtype=cp.uint32)
kernel((16,), (64,), (cp.uint64(1234), cp.int32(200), inside))
print(int(inside[0]), abs(4 * int(inside[0]) / (16 * 64 * 200) - 3.14159) < 0.02)
