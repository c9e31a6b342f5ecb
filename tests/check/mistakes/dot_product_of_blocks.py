"""Each block adds its partial sum to the result without an atomic."""

import numpy as np

from heddle import cuda


@cuda.jit
def dot(a, b, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] * b[i]
    cuda.syncthreads()
    half = 16
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] += s[0]  #! race #-
        #+ cuda.atomic.add(out, 0, s[0])


a = np.arange(96, dtype=np.int32)
b = a % 7
out = np.zeros(1, np.int32)
dot[3, 32](a, b, out)
#+ assert out[0] == a @ b
