"""Atomic loads and stores of C++ and PTX beside atomic operations, without loops that wait for them."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> Counter;
__device__ int load(const int* p) {
  int v;
  asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ void store(int* p, int v) {
  asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
extern "C" __global__ void count(int* counters, int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) last.store(0);
  __syncthreads();
  Counter(counters[0]).fetch_add(1);
  out[i] = Counter(counters[0]).load() > 0;
  last.store(threadIdx.x, cuda::memory_order_relaxed);
  store(counters + 1, i);
  out[i] += load(counters + 1) >= 0 && last.load() >= 0;
}
"""
counters, out = cp.zeros(2, dtype=np.int32), cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "count")((2,), (32,), (counters, out))
assert counters.get()[0] == 64
assert (out.get() == 2).all()
