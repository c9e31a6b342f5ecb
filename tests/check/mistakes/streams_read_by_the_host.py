"""The host copies a result with the default stream, which does not wait for a non-blocking stream."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void square(double* x) {
  x[threadIdx.x] *= x[threadIdx.x];  //! race
}
"""
x = cp.asarray(np.arange(32.0))
with cp.cuda.Stream(non_blocking=True) as side:
    cp.RawKernel(SOURCE, "square")((1,), (32,), (x,))
#+ side.synchronize()
result = x.get()  #! race
#+ np.testing.assert_array_equal(result, np.arange(32.0) ** 2)
