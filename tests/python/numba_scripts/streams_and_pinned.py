"""Copies and kernels in several streams, timed by events."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


n = 1 << 12
parts = 4
host = cuda.pinned_array(n, dtype=np.float32)
host[:] = 1
streams = [cuda.stream() for _ in range(parts)]
start, stop = cuda.event(), cuda.event()
start.record()
for k, stream in enumerate(streams):
    part = host[k * n // parts : (k + 1) * n // parts]
    with cuda.pinned(part):
        device = cuda.to_device(part, stream=stream)
        scale[(part.size + 127) // 128, 128, stream](device, k + 1)
        device.copy_to_host(part, stream=stream)
cuda.synchronize()
stop.record()
stop.synchronize()
print(host.reshape(parts, -1).mean(axis=1).tolist(), cuda.event_elapsed_time(start, stop) >= 0)
