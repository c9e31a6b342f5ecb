"""A Hillis-Steele scan adds in place with no barrier between reads and writes."""

import numpy as np

from heddle import cuda


@cuda.jit
def scan(x, out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    distance = 1
    while distance < 64:
        other = 0
        if t >= distance:
            other = s[t - distance]  #! race
        #+ cuda.syncthreads()
        s[t] += other  #! race
        cuda.syncthreads()
        distance *= 2
    out[t] = s[t]


x = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
scan[1, 64](x, out)
#+ np.testing.assert_array_equal(out, np.cumsum(x))
