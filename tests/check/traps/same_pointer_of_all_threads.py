"""All threads of a block store the same address, and the same pair of floats, in shared memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void scale(float* x) {
  __shared__ float* start;
  __shared__ float2 factors;
  start = x + blockIdx.x * blockDim.x;  //! race note
  factors = make_float2(2.0f, 1.0f);  //! race note
  __syncthreads();
  start[threadIdx.x] = factors.x * start[threadIdx.x] + factors.y;
}
"""
x = cp.asarray(np.arange(64, dtype=np.float32))
cp.RawKernel(SOURCE, "scale")((2,), (32,), (x,))
np.testing.assert_array_equal(x.get(), 2 * np.arange(64) + 1)
