"""Four streams copy in, compute and copy out, each with its own slices of pinned and device arrays."""

import numpy as np

from heddle import cuda


@cuda.jit
def square(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * x[i]


count, parts = 1000, 4
source, result = cuda.pinned_array(count, np.float32), cuda.pinned_array(count, np.float32)
source[:] = np.arange(count)
x, y = cuda.device_array(count, np.float32), cuda.device_array(count, np.float32)
streams = [cuda.stream() for _ in range(parts)]
for part, stream in enumerate(streams):
    piece = slice(part * count // parts, (part + 1) * count // parts)
    x[piece].copy_to_device(source[piece], stream=stream)
    square[2, 128, stream](x[piece], y[piece])
    y[piece].copy_to_host(result[piece], stream=stream)
cuda.synchronize()
np.testing.assert_array_equal(result, np.arange(count, dtype=np.float32) ** 2)
