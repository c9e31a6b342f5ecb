"""A loop with barriers has an exit in a branch that only some threads take, but none of them leaves early."""

import numpy as np

from heddle import cuda


@cuda.jit
def scan(x, out):
    s = cuda.shared.array((2, 32), np.int32)
    t = cuda.threadIdx.x
    s[0, t] = x[t]
    now, distance = 0, 1
    while distance < 32:
        cuda.syncthreads()
        v = s[now, t]
        if t >= distance:
            if v > 1000000:
                break
            v += s[now, t - distance]
        now = 1 - now
        s[now, t] = v
        distance *= 2
    out[t] = s[now, t]


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
scan[1, 32](x, out)
np.testing.assert_array_equal(out, x.cumsum())
