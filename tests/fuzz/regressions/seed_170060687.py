"""A kernel of the fuzzer's, seed 170060687: an index had a float's type while isinstance() had no answer yet.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

Triple = namedtuple("Triple", ['x', 'y', 'z'])


@cuda.jit
def kernel(x1, out1, out0, acc0, x2, x0, acc1):
    i, j = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if i >= 16 or j >= 3:
        return
    p1 = Triple(min(x1[np.int32(715827882) % 7], x1[sum((x1[(ty - tx) % x1.size], x1[ty % x1.size],)) % 7]), (tx, i,)[-2], ((not (operator.ne(ty, tx) ^ (j <= i))) + 0))
    v2 = p1.x
    loc3 = cuda.local.array((2, 3), np.uint64)
    for q0 in range(2):
        for q1 in range(3):
            loc3[q0, q1] = (tx if ((v2, x1[(i >> (ty & 31)) % x1.size]) == (3, x1[(i >> (ty & 31)) % x1.size])) else x1[x1[(ty + tx) % 7] % 7])
    for j4 in range((j - loc3[x1[tx % 7] % 2, tx % loc3.shape[1]]) % 6):
        if isinstance(ty, np.float32):
            ty.nothing
        elif isinstance(ty, (np.float32, np.int32)):
            v5 = ty ^ 1
        else:
            v5 = None.nothing
        v2 = ((j4 // -3) + np.maximum((i + j), np.int64((x1[min(j, v2) % x1.size] * loc3[j % 2, tx % loc3.shape[1]]))))
        v6 = int(np.float32(0.125))
    view7 = x2[:]
    v8 = cuda.shfl_up_sync(-1, np.uint64((x0[np.int64(loc3[(tx ** 0) % 2, tx % 3]) % x0.size] % x0[j % x0.size])), 12)
    loc3[(tx * 5) % loc3.shape[0], max(x1[v2 % 7], v2) % loc3.shape[1]] = i
    v9 = np.minimum((i % min(np.int8(-128), np.int64(9223372036854775807))), ((v2 % loc3[i % 2][(tx + v2) % 3]) - cuda.popc(v2)))
    v10 = math.modf(min((x0[np.uint16(x0[-1 - (i % x0.size)]) % x0.size] - x0[v9 % x0.size]), (-v9)))[0]
    loc11 = cuda.local.array(3, np.int32)
    for q0 in range(3):
        loc11[q0] = (v8 ** 4)
    out0[i, j] = v9
    out1[i, j] = v2

GRID, BLOCK = (1, 1), (16, 3)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'x1': (np.array([59, 0, 73, 10, 55, 88, 27, 3, 27, 3, 30, 12, 5, 29, 14, 48, 88, 28, 26, 22, 52, 84, 71], np.uint16), '[::-3][:7]', True),
    'out1': (np.array([-19, 8, -97, 78, -10, -63, 80, -82, 42, -19, 33, -50, 83, 5, 37, -12, -50, -62, -35, 36, 5, -61, 15, 9, 46, 76, -52, 68, -44, 49, 94, -45, 57, -79, 39, -40, 7, 49, 82, -62, -53, 5, -27, -15, -40, -47, -2, 68, -13, -37, 43, -92, -62, -86, -39, 93, 54, -79, -35, -14, 25, 57, -51, -82, 28, -27, 51, 89, 0, -92, -16, -20, 97, 38, 22, -41, -2, 17, 15, -38, 70, -33, -39, -28, 94, -77, 45, 85, 84, -64, 48, 69, -13, 26, -10, 29, 55, 58, -14, 25, 49, -74, 65, 97, 59, 59, -46, -54, 24, 75, 31, 75, 13, 85, 46, -94, 19, 25, -26, -55, 85, 11, 32, -66, 66, 12, 35, 67, -40, 29, -62, -77, 86, 36, 24, -88, 23, 1, -80, 14, -55, 34, -39, 6, -17, 77, 94, 89, 24, -20, 72, 53, 71, -77, -17, 58, 47, -67, 17, -57, -30, 86, 54, 69, 58, 41, -4, -50, 58, -24, -68, 10, -62, 41, 87, -22, -95, -46, 48, 65, 100, 5, 49, 21, 8, -22, 22, -14, -58, -30, -52, -18, 21, 80, -14, -45, 73, 9, 48, -100, -46, -46, -68, 91, 78, 59, 69, 71, 42, -97, 53, -84, 78, 6, -39, -77, -61, -94, 99, -70, -72, -46, 9, -27, 38, 40, 50, -69, -66, -46, 34, -29, 85, -87, 48, 24, 69, 1, 60, -78, 35, -44, -21, 46, -66, -81, -96, 33, 0, -36, 93, -43, -80, 38, -56, 78, -69, -94, 52, 48, -49, 49, 48, 41, 22, 86, 51, 72, -100, 98, -67, -93], np.int8).reshape((34, 8)), '[:, ::-1][:16, :3]', True),
    'out0': (np.array([36, 17, 69, 57, 80, 17, 35, 39, 13, 66, 36, 97, 94, 68, 7, 13, 81, 87, 39, 83, 71, 78, 0, 6, 31, 76, 22, 76, 56, 23, 23, 67, 94, 68, 19, 22, 59, 17, 90, 49, 83, 76, 59, 50, 89, 42, 13, 70], np.uint32).reshape((16, 3)), '', True),
    'acc0': (np.array([51], np.uint32), '', True),
    'x2': (np.array([True, True, False, True, True, True, True, False, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False], np.bool_), '[::-1][:7]', True),
    'x0': (np.array([15.5, -30.25, 47.25, np.inf, 249.0, 1e+30, 68.0, -1e-30, 0.1, 22.375, np.inf, 96.0, 109.0, 56.0, -89.0, -2.25, np.nan, 75.0, -8.875, -0.0, np.nan, 5.5, 87.5, 0.1, np.inf, -118.0, 1e+30, 13.0, 21.125, 1e+30, 38.75, np.nan, 11.0, 92.5, np.inf, 0.0, 32.5, -55.25, -58.5, 1e+30, 25.5, 24.875, 1e+30, -41.0, -14.75, -8.25, np.inf, -30.375, 116.0, -21.5], np.float64), '[1:][:16]', False),
    'acc1': (np.array([77, 24, 52, 3, 97, 30, 6, 78, 29, 25, 21, 11, 50, 49, 65, 11, 98, 58, 28, 15, 68, 94, 83, 76, 97, 67], np.uint32), '[1:][:8]', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

