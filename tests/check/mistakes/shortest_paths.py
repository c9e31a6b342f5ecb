"""Edges relax distances with a compare and a store."""

import numpy as np

from heddle import cuda


@cuda.jit
def relax(source, target, length, distance):
    e = cuda.grid(1)
    if e < source.size:
        reached = length[e] + 10 * source[e]
        if reached < distance[target[e]]:  #! race #-
            distance[target[e]] = reached  #! race #-
        #+ cuda.atomic.min(distance, target[e], reached)


source = np.arange(60, dtype=np.int32)
target = source % 8
length = 7 * source % 13
distance = np.full(8, 10**6, np.int32)
relax[2, 32](source, target, length, distance)
#+ best = [(length + 10 * source)[target == v].min() for v in range(8)]
#+ np.testing.assert_array_equal(distance, best)
