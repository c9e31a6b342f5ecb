"""Threads read a field of the next record that another thread writes."""

import numpy as np

from heddle import cuda


@cuda.jit
def link(cells):
    i = cuda.grid(1)
    if i + 1 < cells.size:
        cells[i].sum = cells[i].value + cells[i + 1].sum  #! race #-
        #+ cells[i].sum = cells[i].value + cells[i + 1].value


cells = np.zeros(64, [("value", np.int32), ("sum", np.int32)])
cells["value"] = np.arange(64)
link[1, 64](cells)
#+ np.testing.assert_array_equal(cells["sum"][:63], 2 * np.arange(63) + 1)
