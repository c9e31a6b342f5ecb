"""Arrays are freed and allocated again, at the same addresses, for launches in other streams."""

import numpy as np

from heddle import cuda
from heddle.compat import cupy as cp


@cuda.jit
def fill(x, value):
    x[cuda.grid(1)] = value


streams = [cuda.stream() for _ in range(3)]
for step in range(12):
    x = cuda.device_array(256, np.int32)
    fill[8, 32, streams[step % 3]](x, step)
    del x

SOURCE = r"""
extern "C" __global__ void set(int* x, int value) { x[threadIdx.x] = value; }
"""
kernel = cp.RawKernel(SOURCE, "set")
others = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
for step in range(12):
    with others[step % 3]:
        y = cp.empty(32, np.int32)
        kernel((1,), (32,), (y, np.int32(step)))
        del y
cuda.synchronize()
