"""A kernel of the fuzzer's, seed 30042517: a second isinstance() was answered before the loop behind the first had its types.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

Triple = namedtuple("Triple", ['x', 'y', 'z'])


@cuda.jit(device=True)
def f0(a1, a2):
    v3 = ((a1 <= np.float32(-0.25)) or (operator.gt(a2, a2) and (not (a2 != a1))))
    for e4 in cuda.literal_unroll(((a1 % a1),)):
        p5 = Triple((a2 > a2), a1, (e4 * e4))
        v6, v7, v8 = p5
    if ((a2 == a1) and (a2 > a2)):
        pass
    return a1


@cuda.jit(device=True)
def f1(a1, a2, a3):
    v4 = (a1.nothing if isinstance(a1, np.float32) else (-a2))
    a1 = np.uint64((int(a3) ^ (a1 << (np.int64(a1) & 63))))
    o5 = None
    if (a2 >= a3 == a1):
        o5 = (a1 ^ np.int8(127))
    if o5 is not None:
        v6 = o5 + 1
        pass
    return f0(np.float32(abs(a2)), np.uint16((~a1))), (-(a1 // -3))


@cuda.jit
def kernel(x1, out1, out0, x0, acc0, p_0, x2):
    i, j = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if i >= 8 or j >= 7:
        return
    view1 = x1.transpose(1, 0, 2)
    v2 = cuda.any_sync(0xffffffff, (np.float32(0.001) != tx))
    if ((x2[-1 - (np.int64(p_0) % x2.size)] + x1[np.maximum(x1[i % x1.shape[0], sum((i,)) % x1.shape[1], np.int64(p_0) % x1.shape[2]], view1[(j | 1 if isinstance(j, int) else None) % view1.shape[0], j % view1.shape[1], (-ty) % 4]) % x1.shape[0], -1 - (np.uint32(tx) % x1.shape[1]), j % 4]) == np.uint32(10.0)):
        v4 = 1.5
        v4 = np.maximum((v4 ** 2), (~view1[-1 - (tx % view1.shape[0]), -1 - (x0[j % x0.shape[0], i % x0.shape[1]] % view1.shape[1]), ty % 4]))
    out1[1, i, j] = math.atanh(math.floor(10.0))
    v2 = ((view1[x0[abs(j) % 3, i % x0.shape[1]] % 3, x2[j % x2.size] % 2, j % view1.shape[2]] ** 4) > math.sqrt(-4.0))
    v5 = cuda.ballot_sync(0xffffffff, (not v2))
    loc6 = cuda.local.array((2, 3), np.int32)
    for q0 in range(2):
        for q1 in range(3):
            loc6[q0, q1] = i
    for u_7 in range(3):
        v5 &= (u_7,)[0]
    t8 = ((-loc6[x2[(j).bit_count() % 8] % loc6.shape[0], max(v5, x0[tx % 3, (~i) % 5]) % loc6.shape[1]]), bool(view1[x0[-1 - ((v5 | 1 if isinstance(v5, (float, int)) else None) % 3), ty % 5] % 3, np.int64(cuda.brev(np.uint64(loc6[np.maximum(i, np.int64(p_0)) % 2, ty % 3]))) % 2, (~j) % view1.shape[2]]), (np.float32(0.5) // np.float32(-0.25)))
    v9, v10, v11 = t8
    out1[0, i, j] = v9

GRID, BLOCK = (2, 1), (4, 8)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'x1': (np.array([38, 4294967295, 12, 24, 71, 0, 4294967294, 4294967294, 21, 5, 20, 34, 95, 70, 30, 90, 5, 42, 0, 91, 74, 44, 10, 98], np.uint32).reshape((2, 3, 4)), '', True),
    'out1': (np.array([24.0, -42.5, -71.5, -41.25, -15.5, 12.0, 7.0, -18.625, 78.5, -10.375, 199.0, 15.5, -33.25, -56.5, 131.0, 156.0, -42.5, -102.0, 4.25, 128.0, -100.0, -59.25, 53.0, 20.5, 34.75, 16.5, -180.0, -3.25, 100.5, -42.0, 37.0, -30.0, -127.0, -216.0, 105.0, 25.875, 10.25, -93.5, -32.0, -19.25, 85.0, -78.0, 86.0, -109.5, 223.0, 69.5, 5.25, -16.0, -76.0, -16.75, -26.375, -37.0, -185.0, -6.75, -15.25, -2.125, -39.0, -74.5, -9.0, 11.375, 24.125, -9.25, 14.25, 22.5, 51.0, -24.0, -4.0, -99.0, -4.0, 48.5, -57.25, 49.0, 45.75, 21.875, -245.0, -5.75, -50.0, 27.5, -6.5, -110.0, 28.625, -24.625, -86.0, -196.0, 12.875, -58.5, 58.5, -49.5, 89.5, -116.0, -22.0, 4.875, -55.25, -32.0, -36.0, 9.375, -113.5, 210.0, 242.0, 24.0, 94.0, -241.0, -55.0, 12.0, 38.5, -18.0, 61.5, -0.5, -19.5, 15.25, 26.0, 29.625], np.float64).reshape((2, 8, 7)), '', True),
    'out0': (np.array([-70, -36, 52, 81, 61, 34, 28, -15, -63, 9, -84, -56, 92, 96, -89, 7, -78, 64, -97, 30, -29, -29, 3, 13, 79, -77, -82, 97, 60, 53, 15, -13, 12, 88, 48, 77, -36, -83, 6, -82, 72, 99, 73, 91, -58, 70, -26, -27, 4, 21, 64, 95, 90, 83, -54, 94], np.int16).reshape((7, 8)), '.T', True),
    'x0': (np.array([46, 33, 34, 29, 53, 35, 70, 40, 28, 31, 5, 3, 4, 5, 51], np.uint8).reshape((3, 5)), '', True),
    'acc0': (np.array([20, 67, 43, 91, -75, -22, 14, -53, -94, 1, -81, -25, 44, 55, -86, 71, -1, 13, -95, 90, -47, -3, -3, 93, -10, -88, -49, 77, 67, -60, -48, -54, -59, 80, -67, -41, 36, 71, -97, 7, 94, -56, -30, -49, 73, -9, 99, -62, 95, -37, -71, 56, 96, 28, -31, -47, -32, -62, 36, -45, -84, 8, 53, -56, -61, -16, 35, 49, 72, -8, 10, -66, 3, -40, 98, -77, -20, 15, 24, 99, 3, 98, 59, -41, 37, 12, 10, -89, 97, -58, 67, -32, 70, -21, -72, 69, -54, -11, -33, 69, -7, -52, 86, -49, -14, -52, 33, -92, 96, 13, 27, 79, 63, 89, 69, -45, -48, 45, 0, 35, -61, -91, -64, 15, 100, -12, -30, 20, 80, 14, -95, -35, 9, -32, 38, 83, -9, -41, -61, 17, -50, 92, -8, -57, 4, -11, -22, -95, -67, -57, 46, 36, 38, -1, -90, -6, -15, 95, -18, -60, 32, 54, -74, 8, 19, -5, -64, 51, 74, -34, -37, 25, -84, -77, -20, 81, -13, 30, -16, 77, 87, -36, -33, 52, 8, -1, 63, -62, 87, -36, 8, 29, 8, -65, -70, -90, 14, -99, 0, -87, -96, 46, -65, -26, -35, -98, -59, 60, -69, 16, 41, 30, 44, 53, -35, -8, -22, -68, -100, 69, -63, 6, 24, 58, 17, -82, 44, 25, 0, -13, -56, 98, -35, -22, -82, 10, -35, -85, -51, 44, 52, -21, 47, 22, 28, 97, -75, 81, -36, 40, -12, 44, -96, 16, 83, -57, -19, 98, -49, 10, 75, -63, 34, 45, -57, -79, -11, 31, -65, -66, -10, 65, -39, 99, -44, 13, -69, 73, -80, 45, 10, 47, 30, -60, -24, 58, -46, -96], np.int64).reshape((18, 16)), '[:, ::-1][:8, :7]', True),
    'p_0': np.uint64(2),
    'x2': (np.array([62, 69, 81, 48, 65, 50, 9, 72, 2, 100, 51, 51, 66, 7, 99, 93, 32, 11, 49, 18, 100, 30, 17, 28, 90, 24], np.uint16), '[::-1][:8]', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

