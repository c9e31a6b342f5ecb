"""Each launch claims vertices with an atomic and reads the frontier of the last one."""

import numpy as np

from heddle import cuda


@cuda.jit
def expand(neighbours, frontier, size, next, next_size, level, distance):
    i = cuda.grid(1)
    if i < size[0]:
        v = frontier[i]
        for j in range(neighbours.shape[1]):
            w = neighbours[v, j]
            if cuda.atomic.cas(distance, w, -1, level) == -1:
                next[cuda.atomic.add(next_size, 0, 1)] = w


n = 32
v = np.arange(n)
neighbours = np.stack([(v + 1) % n, (v * 2) % n], 1)
distance = np.full(n, -1, np.int32)
distance[0] = 0
frontier, size = np.zeros(n, np.int32), np.ones(1, np.int32)
level = 0
while size[0]:
    level += 1
    next, next_size = np.zeros(n, np.int32), np.zeros(1, np.int32)
    expand[1, n](neighbours, frontier, size, next, next_size, level, distance)
    frontier, size = next, next_size
want = np.full(n, n)
want[0] = 0
for _ in range(n):
    for j in range(2):
        np.minimum.at(want, neighbours[:, j], want + 1)
np.testing.assert_array_equal(distance, want)
