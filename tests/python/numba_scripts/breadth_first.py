"""Levels of a graph in compressed rows, and shortest paths by relaxing its edges."""

import numpy as np
from numba import cuda


@cuda.jit
def advance(starts, targets, frontier, following, levels, level, changed):
    v = cuda.grid(1)
    if v < frontier.shape[0] and frontier[v]:
        frontier[v] = False
        for e in range(starts[v], starts[v + 1]):
            u = targets[e]
            if levels[u] < 0:
                levels[u] = level + 1
                following[u] = True
                changed[0] = True


@cuda.jit
def relax(sources, targets, weights, distances):
    e = cuda.grid(1)
    if e < sources.size:
        cuda.atomic.min(distances, targets[e], distances[sources[e]] + weights[e])


n = 12
starts = np.arange(0, 2 * n + 1, 2)
targets = np.array([[(i + 1) % n, (i * 3) % n] for i in range(n)]).ravel()
levels = np.full(n, -1)
levels[0] = 0
frontier, following = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
frontier[0] = True
changed, level = np.array([True]), 0
while changed[0]:
    changed[0] = False
    advance[1, 32](starts, targets, frontier, following, levels, level, changed)
    frontier, following = following, frontier
    level += 1
print(*levels)
distances = np.full(n, np.inf)
distances[0] = 0
for _ in range(n):
    relax[1, 32](np.repeat(np.arange(n), 2), targets, np.arange(2 * n) % 5 + 1.0, distances)
print(*distances)
