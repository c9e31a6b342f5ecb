"""Threads add to 16-bit numbers that share a word, by atomic operations."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda_fp16.h>
extern "C" __global__ void count(__half* sums) {
  atomicAdd(sums + threadIdx.x % 2, __half(1));
  atomicAdd((__half2*)(sums + 2), __half2{1, 2});
}
"""
sums = cp.zeros(4, dtype=np.float16)
cp.RawKernel(SOURCE, "count")((2,), (64,), (sums,))
np.testing.assert_array_equal(sums.get(), [64, 64, 128, 256])
