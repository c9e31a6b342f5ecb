"""Blocks add with an atomic reference whose scope is the block."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
#include <cuda/atomic>
extern "C" __global__ void sum(const int* x, int* out) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  cuda::atomic_ref<int, cuda::thread_scope_block>(*out).fetch_add(v);  //! race //-
  //+ cuda::atomic_ref<int, cuda::thread_scope_device>(*out).fetch_add(v);
}
"""
x = cp.arange(64, dtype=np.int32)
out = cp.zeros(1, dtype=np.int32)
cp.RawKernel(SOURCE, "sum")((2,), (32,), (x, out))
#+ assert out.get()[0] == 63 * 32
