"""Threads above and below the diagonal swap the same elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def transpose(a):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:  #-
    #+ if x < a.shape[1] and y < x:
        upper = a[y, x]  #? race
        a[y, x] = a[x, y]  #! race
        a[x, y] = upper  #! race


a = np.arange(256, dtype=np.int32).reshape(16, 16)
start = a.copy()
transpose[(2, 2), (8, 8)](a)
#+ np.testing.assert_array_equal(a, start.T)
