"""Two streams use a variable of the module."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ float scale[32];
extern "C" __global__ void set(float value) {
  scale[threadIdx.x] = value;  //! race
}
extern "C" __global__ void apply(float* x) {
  x[threadIdx.x] *= scale[threadIdx.x];  //! race
}
"""
module = cp.RawModule(code=SOURCE)
x = cp.ones(32, np.float32)
first, second, is_set = cp.cuda.Stream(), cp.cuda.Stream(), cp.cuda.Event()
with first:
    module.get_function("set")((1,), (32,), (np.float32(3),))
    #+ is_set.record()
#+ second.wait_event(is_set)
with second:
    module.get_function("apply")((1,), (32,), (x,))
cp.cuda.Device().synchronize()
#+ np.testing.assert_array_equal(x.get(), np.full(32, 3))
