"""Threads return from a loop with barriers in different iterations, after some iterations went around a barrier."""

import numpy as np

from heddle import cuda


@cuda.jit
def rounds(x, limit, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for k in range(8):
        if k % 2 == 0:
            cuda.atomic.add(s, 0, x[t])
            cuda.syncthreads()
        if k == limit[t]:
            out[t] = s[0]
            return
        cuda.syncthreads()


x = np.ones(32, np.int32)
limit = np.arange(32, dtype=np.int32) // 4
out = np.zeros(32, np.int32)
rounds[1, 32](x, limit, out)
want, alive = [], 0
for k in range(8):
    alive += (limit >= k).sum() if k % 2 == 0 else 0
    want.append(alive)
np.testing.assert_array_equal(out, np.array(want)[limit])
