"""The threads past the end load nothing, but their elements are summed."""

import numpy as np

from heddle import cuda


@cuda.jit
def sum_of(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    if t < x.size:
        s[t] = x[t]
    #+ else:
    #+     s[t] = 0
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            s[t] += s[t + half]  #! uninit
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = s[0]  #? uninit


x = np.arange(50, dtype=np.int32)
out = np.zeros(1, np.int32)
sum_of[1, 64](x, out)
#+ assert out[0] == x.sum()
