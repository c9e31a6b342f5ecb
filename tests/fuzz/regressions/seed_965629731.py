"""A kernel of the fuzzer's, seed 965629731. It ended the process.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit
def kernel(x0, out2):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < 61:
        v1 = math.frexp(x0[t % 1])[1]
        out2[i] = v1

GRID, BLOCK = (2,), (32,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'x0': (np.array([-13.5, 22.0, 19.75, 65.0, -51.5], np.float32), '[::-3][:1]', True),
    'out2': (np.array([False, True, True, True, True, False, False, False, False, True, False, True, False, False, False, False, True, True, False, True, True, False, True, True, True, True, True, True, True, True, False, True, False, False, True, True, False, True, False, True, False, False, True, True, True, False, False, False, True, True, True, False, True, False, False, True, True, False, True, True, False, True, True, True, False, True, False, True, False, False, False, True, True, False, False, True, True, False, False, True, False, True, True, False, True, True, False, False, True, False, False, False, False, False, True, False, False, False, True, True, True, False, False, True, False, True, False, True, False, False, True, False, True, False, False, False, False, False, True, False, True, True, False, False, True, False, False, True, True, False, False, False, True, False, False, False, True, True, True, False, True, True, True, True, True, False, False, True, True, True, False, False, True, False, False, True, False, False, True, False, True, True, True, False, False, False, True, True, False, True, True, True, False, False, False, False, False, True, False, False, True, True, True, True, True], np.bool_), '[::2][:61]', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)
