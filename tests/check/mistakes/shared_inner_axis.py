"""A tile's inner axis is exceeded, although the address is inside the tile."""

import numpy as np

from heddle import cuda


@cuda.jit
def differences(a, out):
    tile = cuda.shared.array((8, 8), np.int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    if y < 7:  #-
    #+ if x < 7:
        out[y, x] = tile[y, x + 1] - tile[y, x]  #! bounds


a = np.arange(64, dtype=np.int32).reshape(8, 8) ** 2
out = np.zeros((8, 8), np.int32)
differences[1, (8, 8)](a, out)
#+ np.testing.assert_array_equal(out[:, :-1], np.diff(a))
