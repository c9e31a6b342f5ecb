"""Radix sort of one block: a scan of each bit's zeros, then a scatter, with two arrays that change places."""

import numpy as np
from numba import cuda, int32

THREADS = 256


@cuda.jit
def count_zeros(keys, bit, zeros):
    s = cuda.shared.array(THREADS, int32)
    t = cuda.threadIdx.x
    s[t] = 1 - ((keys[t] >> bit) & 1)
    cuda.syncthreads()
    offset = 1
    while offset < THREADS:
        before = s[t - offset] if t >= offset else 0
        cuda.syncthreads()
        s[t] += before
        cuda.syncthreads()
        offset *= 2
    zeros[t] = s[t]


@cuda.jit
def scatter(keys, out, zeros, bit):
    t = cuda.threadIdx.x
    if (keys[t] >> bit) & 1:
        out[zeros[THREADS - 1] + t - zeros[t]] = keys[t]
    else:
        out[zeros[t] - 1] = keys[t]


keys = np.random.default_rng(1).integers(0, 2**16, THREADS).astype(np.uint32)
a = cuda.to_device(keys)
b = cuda.device_array_like(a)
zeros = cuda.device_array(THREADS, np.int32)
for bit in range(16):
    count_zeros[1, THREADS](a, bit, zeros)
    scatter[1, THREADS](a, b, zeros, bit)
    a, b = b, a
print((a.copy_to_host() == np.sort(keys)).all())
