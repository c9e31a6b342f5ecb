"""Threads write a field of each record while others read another field."""

import numpy as np

from heddle import cuda


@cuda.jit
def update(cells):
    i = cuda.grid(1)
    cells[i].new = cells[i - 1].old + cells[(i + 1) % cells.size].old


cells = np.zeros(64, [("old", np.int32), ("new", np.int32)])
cells["old"] = np.arange(64)
update[2, 32](cells)
x = cells["old"]
np.testing.assert_array_equal(cells["new"], np.roll(x, 1) + np.roll(x, -1))
