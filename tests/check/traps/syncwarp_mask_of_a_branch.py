"""Some lanes of a warp exchange values in a branch, with a mask that names them."""

import numpy as np

from heddle import cuda


@cuda.jit
def rotate_first(x, out):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 10:
        s[t] = x[t]
        cuda.syncwarp(0x3FF)
        out[t] = s[(t + 1) % 10]
    else:
        out[t] = x[t]


x = np.arange(32, dtype=np.int32)
out = np.zeros(32, np.int32)
rotate_first[1, 32](x, out)
np.testing.assert_array_equal(out, np.append(np.roll(x[:10], -1), x[10:]))
