"""A memset in one stream clears counters that another stream still adds to."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void histogram(const int* x, int* bins) {
  atomicAdd(&bins[x[threadIdx.x] % 4], 1);  //! race
}
"""
x, bins = cp.asarray(np.arange(32, dtype=np.int32)), cp.zeros(4, np.int32)
first, second = cp.cuda.Stream(), cp.cuda.Stream()
kernel = cp.RawKernel(SOURCE, "histogram")
with first:
    kernel((1,), (32,), (x, bins))
#+ first.synchronize()
bins.data.memset_async(0, bins.nbytes, second)  #! race
cp.cuda.Device().synchronize()
