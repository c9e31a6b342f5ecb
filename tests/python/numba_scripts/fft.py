"""A radix-2 FFT in shared memory; bits are reversed by cuda.brev."""

import cmath
import math

import numpy as np
from numba import complex64, cuda

N = 256
STAGES = int(math.log2(N))


@cuda.jit
def fft(signal, spectrum):
    s = cuda.shared.array(N, complex64)
    i = cuda.threadIdx.x
    j = cuda.brev(i) >> (32 - STAGES)
    s[j] = signal[i]
    cuda.syncthreads()
    size = 2
    while size <= N:
        half = size // 2
        if i % size < half:
            w = cmath.exp(-2j * math.pi * (i % size) / size)
            a = s[i]
            b = s[i + half] * w
            s[i] = a + b
            s[i + half] = a - b
        cuda.syncthreads()
        size *= 2
    spectrum[i] = s[i]


x = np.cos(2 * np.pi * 5 * np.arange(N) / N).astype(np.complex64)
X = np.zeros(N, dtype=np.complex64)
fft[1, N](x, X)
print(np.allclose(X, np.fft.fft(x), atol=1e-3), int(np.abs(X).argmax()))
