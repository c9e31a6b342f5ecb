"""A kernel of the fuzzer's, seed 634879836: the low byte of a float in a packed record, which ptxas 13.0 got wrong.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

Pair = namedtuple('Pair', 'first')

@cuda.jit
def kernel(rec):
    i, j = cuda.grid(2)
    if j:
        return
    v1 = i
    rec[i, j]['a'] = v1

GRID, BLOCK = (2, 1), (4, 8)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'rec': (np.array([(-30.625, -55), (-112.0, 55), (3.25, -66), (12.0, 11), (41.5, 58), (109.0, -5), (-59.5, -32), (-26.75, 55), (-5.5, 69), (107.0, 52), (-8.5, -14), (-12.375, -67), (25.0, -29), (112.0, 19), (-58.0, -82), (84.0, -7), (10.25, -71), (-43.25, -30), (36.25, 94), (11.75, -13), (-60.0, -27), (-205.0, -55), (9.75, 86), (62.5, -29), (-41.5, -40), (72.0, -22), (37.0, 92), (141.0, 44), (-136.0, -84), (-189.0, 91), (15.0, -85), (35.0, 59), (0.5, 4), (-94.5, 73), (231.0, -79), (33.5, 76), (-22.25, -40), (-20.25, 17), (110.0, -77), (-34.25, 44)], np.dtype([('a', '<f4'), ('b', 'i1')])).reshape((8, 5)), '', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)
