"""All threads of a block leave loops with barriers by the same `break`, which reads shared memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def halve(x, out):
    s = cuda.shared.array(2, np.int32)
    t = cuda.threadIdx.x
    v = x[cuda.blockIdx.x, t]
    count = 0
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    while True:
        if v > 0:
            cuda.atomic.add(s, 0, 1)
            v //= 2
        cuda.syncthreads()
        left = s[0]
        cuda.syncthreads()
        if left == 0:
            break
        if t == 0:
            s[0] = 0
        count += 1
        if count > 40:
            continue
        cuda.syncthreads()
    out[cuda.blockIdx.x, t] = count


x = np.arange(64, dtype=np.int32).reshape(2, 32)
out = np.zeros((2, 32), np.int32)
halve[2, 32](x, out)
np.testing.assert_array_equal(out, np.repeat([[5], [6]], 32, axis=1))
