"""A kernel of the fuzzer's, seed 512011383.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math

import numpy as np

from heddle import cuda

@cuda.jit
def kernel(x1, again0, acc0, x0, out0):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < 29:
        out0[i] = ((t // x1[(-again0[i]) % x1.shape[0]][again0[i] % x1.shape[1]]) if (not (np.float32(2.0) == np.float32(-0.25))) else (~x1[i % x1.shape[0], -1 - (x1[again0[i] % 3, i % x1.shape[1]] % 5)]))
        out0[i] -= (x1[again0[i] % x1.shape[0], x1[-1 - ((again0[i] >> (t & 7)) % 3), i % x1.shape[1]] % x1.shape[1]] > np.sqrt(t))
        v1 = i
        out0[i] = (abs(x1[(x1[v1 % 3, np.uint8((((t > 0.001) or (math.isnan(np.float32(0.5)) or (np.float32(0.1) == i))) and (v1 >= np.float32(10.0) < v1))) % x1.shape[1]] >> 24) % x1.shape[0], (again0[i] - t) % 5]) - (t ^ x1[x1[i % x1.shape[0], t % x1.shape[1]] % 3, v1 % 5]))

GRID, BLOCK = (1,), (32,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'x1': (np.array([64, 57, -29, -63, 81, 98, -49, -57, 81, -78, -54, -32768, -61, -85, 97], np.int16).reshape((3, 5)), '', True),
    'again0': 'out0',
    'acc0': (np.array([18, 58, 61, 95, 53], np.uint64), '[::-3][:1]', True),
    'x0': (np.array([True, False, False, False, False, False, True, False, False, False, True, True, False, True, False, False, True, True, False, True, False, True, False, True, False, False, False, False, False, False, True, False, False, True, False, False, True, False, False, False, True, False, False, False, True, False, False, True, True, True, True, True, True, True, True, True, True, True, True, True, True, False, False, True, True, False, True, False, False, True, True, True, False, False, False, False, False, True, True, True, False, False, False, False, False, True, False, True, False], np.bool_), '[::-1][:29]', True),
    'out0': (np.array([91, 68, 78, 72, 77, 19, 92, -76, 61, -55, -83, -46, 10, 36, 73, -71, -74, 8, -20, 76, 59, 4, -52, 41, 51, -65, -41, -15, -50], np.int32), '', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

