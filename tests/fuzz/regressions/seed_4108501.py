"""A kernel of the fuzzer's, seed 4108501. TypingError: <kernel 2 of seed 4108501>:17: bad operands for &

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit
def kernel(out0, p_0, x1, x0):
    i = cuda.grid(1)
    if i >= out0.size:
        return
    e_x0 = x0[i]
    e_x1 = x1[i]
    for j1 in range(np.int64(np.uint64(np.float32(1.5))) % 3):
        e_x0 |= (-(-p_0))
    out0[i] = ((e_x0 | 1 if isinstance(e_x0, (float, int)) else None) & e_x1)

GRID, BLOCK = (1,), (256,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'out0': (np.array([84], np.int32), '', True),
    'p_0': np.int32(42),
    'x1': (np.array([-68], np.int32), '', True),
    'x0': (np.array([75, -42, 12, 68, -83], np.int32), '[::2][:1]', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)
