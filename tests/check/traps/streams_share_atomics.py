"""Streams add to the same counters by atomic operations, in Python and in CUDA C++."""

import numpy as np

from heddle import cuda
from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void count(const int* x, int* bins) {
  atomicAdd(&bins[x[threadIdx.x] % 4], 1);
}
"""


@cuda.jit
def count(x, bins):
    cuda.atomic.add(bins, x[cuda.grid(1)] % 4, 1)


x, bins = cp.asarray(np.arange(32, dtype=np.int32)), cp.zeros(4, np.int32)
in_cpp = cp.RawKernel(SOURCE, "count")
streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
for stream in streams:
    with stream:
        in_cpp((1,), (32,), (x, bins))
    count[1, 32, cuda.external_stream(stream.ptr)](x, bins)
cp.cuda.Device().synchronize()
np.testing.assert_array_equal(bins.get(), np.full(4, 48))
