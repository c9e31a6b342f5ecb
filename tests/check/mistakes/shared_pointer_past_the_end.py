"""Threads reach shared memory by a pointer in shared memory, and go past the end of the block's memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void ramp(int* out, int n) {
  __shared__ int values[64];
  __shared__ int* place;
  if (threadIdx.x == 0) place = values;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) place[i] = i;  //! bounds
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
"""
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "ramp")((1,), (64,), (out, 1000))  #-
#+ cp.RawKernel(SOURCE, "ramp")((1,), (64,), (out, 64))
#+ assert out.get().tolist() == list(range(64))
