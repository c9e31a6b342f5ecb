"""Atomic operations on 8 and 16 bits at the end of arrays, beside elements that other threads write plainly."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
#include <cuda_fp16.h>
extern "C" __global__ void update(__half* sum, unsigned short* last, bool* flags, int* owners) {
  __shared__ unsigned short taken;
  int i = threadIdx.x;
  if (i == 0) taken = 0;
  if (i == 1) last[1] = 5, flags[1] = true;
  __syncthreads();
  atomicAdd(sum, __half(1));
  if (atomicCAS(&taken, (unsigned short)0, (unsigned short)(i + 1)) == 0) owners[0] = i + 1;
  if (i == 2) last[0] = 4, flags[0] = true;
  atomicCAS(last + 2, (unsigned short)(65535 - i), (unsigned short)i);
  bool free = false;
  if (cuda::atomic_ref<bool>(flags[2]).compare_exchange_strong(free, true)) owners[1] = i;
  __syncthreads();
  if (i == 0) owners[2] = taken;
}
"""
total, last = cp.zeros(1, dtype=np.float16), cp.full(3, 65535, dtype=np.uint16)
flags, owners = cp.zeros(3, dtype=bool), cp.zeros(3, dtype=np.int32)
cp.RawKernel(SOURCE, "update")((1,), (40,), (total, last, flags, owners))
assert total.get() == [40] and last.get().tolist() == [4, 5, 0] and flags.get().all()
first, second, third = owners.get()
assert first == third and 1 <= first <= 40 and 0 <= second < 40
