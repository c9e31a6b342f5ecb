"""Two threads may claim the same vertex, because they look and store without an atomic."""

import numpy as np

from heddle import cuda


@cuda.jit
def claim(parent_of, vertex, parent):
    e = cuda.grid(1)
    v = vertex[e]
    if parent[v] == -1:  #! race #-
        parent[v] = parent_of[e]  #! race #-
    #+ cuda.atomic.cas(parent, v, -1, parent_of[e])


vertex = np.arange(32) // 2
parent_of = np.arange(32, dtype=np.int32)
parent = np.full(16, -1, np.int32)
claim[1, 32](parent_of, vertex, parent)
#+ np.testing.assert_array_equal(parent // 2, np.arange(16))
