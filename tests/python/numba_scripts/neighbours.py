"""Cellular automaton: offsets from a list, tuples unpacked in the loop."""

import numpy as np
from numba import cuda


@cuda.jit
def count_neighbours(cells, counts):
    y, x = cuda.grid(2)
    if y < cells.shape[0] and x < cells.shape[1]:
        n = 0
        for dy, dx in [(-1, 0), (1, 0), (0, -1), (0, 1)]:
            yy = y + dy
            xx = x + dx
            if 0 <= yy < cells.shape[0] and 0 <= xx < cells.shape[1]:
                n += cells[yy, xx]
        counts[y, x] = n


cells = (np.arange(20 * 30).reshape(20, 30) % 3 == 0).astype(np.int8)
counts = np.zeros_like(cells)
count_neighbours[(2, 2), (16, 16)](cells, counts)
expected = np.zeros_like(cells)
expected[1:] += cells[:-1]
expected[:-1] += cells[1:]
expected[:, 1:] += cells[:, :-1]
expected[:, :-1] += cells[:, 1:]
print((counts == expected).all(), counts.sum())
