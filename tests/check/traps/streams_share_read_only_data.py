"""Streams read the same table and write their own results."""

import numpy as np

from heddle import cuda


@cuda.jit
def look_up(table, keys, out):
    i = cuda.grid(1)
    out[i] = table[keys[i]]


table = cuda.to_device(np.arange(100, dtype=np.float32) ** 2)
keys = np.arange(64, dtype=np.int32)
streams = [cuda.stream() for _ in range(3)]
results = []
for number, stream in enumerate(streams):
    results.append(cuda.device_array(64, np.float32))
    look_up[2, 32, stream](table, cuda.to_device((keys * (number + 1)) % 100), results[-1])
cuda.synchronize()
np.testing.assert_array_equal(results[0].copy_to_host(), keys.astype(np.float32) ** 2)
