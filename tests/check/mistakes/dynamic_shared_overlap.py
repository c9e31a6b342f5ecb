"""Two arrays in dynamic shared memory overlap because the second offset is too small."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void combine(const int* x, const int* y, int* out) {
  extern __shared__ int memory[];
  int t = threadIdx.x;
  int* first = memory;
  int* second = memory + blockDim.x / 2;  //-
  //+ int* second = memory + blockDim.x;
  first[t] = x[t];  //! race
  second[t] = y[t];  //! race
  __syncthreads();
  out[t] = first[63 - t] - second[63 - t];
}
"""
x = cp.arange(64, dtype=np.int32)
y = cp.asarray(np.arange(64, dtype=np.int32) ** 2)
out = cp.zeros(64, dtype=np.int32)
cp.RawKernel(SOURCE, "combine")((1,), (64,), (x, y, out), shared_mem=512)
#+ np.testing.assert_array_equal(out.get(), (x.get() - y.get())[::-1])
