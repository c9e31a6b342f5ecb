"""The memory pool, pinned memory and streams around a raw kernel."""

import cupy as cp
import numpy as np

pool = cp.get_default_memory_pool()
add = cp.RawKernel(
    'extern "C" __global__ void add(float* x, float v, int n) {'
    " int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) x[i] += v; }",
    "add",
)
x = cp.zeros(1024, dtype=cp.float32)
print(pool.used_bytes() >= 4096, pool.total_bytes() >= pool.used_bytes())
with cp.cuda.Stream(non_blocking=True) as stream:
    add((8,), (128,), (x, np.float32(2), np.int32(1024)))
    stream.synchronize()
print(float(x.sum()))
del x
pool.free_all_blocks()
print(pool.used_bytes())
start, end = cp.cuda.Event(), cp.cuda.Event()
start.record()
end.record()
end.synchronize()
print(cp.cuda.get_elapsed_time(start, end) >= 0)
