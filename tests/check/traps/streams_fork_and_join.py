"""Three streams fork from one and join it again, all by events."""

import numpy as np

from heddle import cuda


@cuda.jit
def copy_scaled(x, y, factor):
    i = cuda.grid(1)
    y[i] = factor * x[i]


@cuda.jit
def add(x, y, z):
    i = cuda.grid(1)
    x[i] = y[i] + z[i]


x = cuda.to_device(np.arange(64, dtype=np.float64))
y, z = cuda.device_array_like(x), cuda.device_array_like(x)
main, left, right = cuda.stream(), cuda.stream(), cuda.stream()
for _ in range(3):
    forked, joined = cuda.event(), [cuda.event(), cuda.event()]
    forked.record(main)
    for stream, target, event in ((left, y, joined[0]), (right, z, joined[1])):
        forked.wait(stream)
        copy_scaled[2, 32, stream](x, target, 0.5)
        event.record(stream)
        event.wait(main)
    add[2, 32, main](x, y, z)
main.synchronize()
np.testing.assert_array_equal(x.copy_to_host(), np.arange(64))
