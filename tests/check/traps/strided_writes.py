"""Threads write disjoint elements in several strides."""

import numpy as np

from heddle import cuda


@cuda.jit
def spread(x, out):
    i = cuda.grid(1)
    n = x.size
    out[2 * i] = x[i]
    out[2 * i + 1] = -x[i]
    out[2 * n + n - 1 - i] = 2 * x[i]
    for k in range(3):
        out[3 * n + 3 * i + k] = k  #? uncoalesced note


x = np.arange(64, dtype=np.int32)
out = np.zeros(6 * 64, np.int32)
spread[2, 32](x, out)
want = [np.stack([x, -x], 1).ravel(), 2 * x[::-1], np.tile(np.arange(3), 64)]
np.testing.assert_array_equal(out, np.concatenate(want))
