"""A kernel of the fuzzer's, seed 70008838: the types of two returns, an int64 and a uint64, never settled.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit(device=True)
def f0(a1, a2):
    if (not bool(a1)):
        a1 ^= cuda.clz(np.int64(np.float32(1.5)))
    else:
        if ((a1 - a1) < 0):
            return (a1 << (a1 & 31))
    return np.minimum((a1 + a1), cuda.clz(a1))


@cuda.jit(device=True)
def f1(a1, a2, *, k3):
    v4 = (np.maximum((a2 ** 3), np.int64(a2)) <= int((a1 - a1)))
    t5 = ((k3 >> (np.int64(a2) & 7)), np.float32(v4))
    v6, v7 = t5
    for j8 in range(5, -1, -1):
        pass
    return (-(v7 // a1)), (~(v6 - 5))


@cuda.jit
def kernel(p_1, out1, out0, x1, acc0, out2, p_0, x0, acc1):
    i = np.int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x
    t = cuda.threadIdx.x
    sh0 = cuda.shared.array(32, np.float32)
    sh0[t] = 1.5
    sh1 = cuda.shared.array(33, np.float64)
    sh1[t] = 0.1
    cuda.syncthreads()
    if i >= 59:
        return
    view1 = x1[::-1]
    sh0[t] = ((10.0 - np.float32(-0.25)) * (t - x0[p_1 % x0.size]))
    cuda.syncthreads()
    v2 = sh0[(x1[np.int64(p_0) % x1.size] if math.isfinite(np.float32(0.001)) else np.int8(p_0)) % 32] + (np.float32(cuda.threadIdx.x) ** 2)
    cuda.syncthreads()
    v3 = cuda.syncthreads_and(np.int32((x0[-1 - ((i if (t <= i) else i) % x0.size)] <= 0)))
    out0[i - 59] = (f0(np.uint8((p_0 == t)), a2=bool(x0[i % 7])) > (np.int16(3) + v3))
    v4 = cuda.reduce_max_sync(0xffffffff, np.uint32((x1[x1[t % 64] % 64] * p_0)))
    out0[i - 59] = bool(v3)

GRID, BLOCK = (2,), (32,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'p_1': np.int32(-25),
    'out1': (np.array([-81, 83, -37, -36, -38, 6, 37, -14, -83, 62, 26, 80, -10, -61, -38, -10, -68, 42, -14, -87, 36, 57, 33, -53, -30, -23, 10, 67, -9, -98, 52, 80, 82, 26, 77, -1, -38, 59, 84, 21, -85, 42, -23, -37, -1, 91, 79, 35, -31, 40, -46, -45, 1, 29, 72, 19, -93, 28, -57, -29, 96, -60, -37, -67, 86, 22, -5, -43, 99, -2, 62, -38, 45, -11, -23, -49, -81, 68, -64, 76, 30, 65, -59, -96, 32, -32, -58, -65, 56, 89, 39, -91, -89, 69, 64, -62, 68, 79, 11, -5, 12, -66, -64, -77, -48, 9, -54, -2, 12, 59, 23, -18, -29, 56, -70, -25, 27, 80, 61, -97, -90, -36, -45, 82, 20, 81, 58, -18, 88, -35, 43, -73, -36, 63, -89, -58, -36, 44, 70, -97, -60, -24, 11, -27, -99, 100, -92, 20, 50, 95, -98, 87, 75, -90, -88, -94, -42, -75, 82, 25, -89, -17, -26, 57, -16, 34, 5, -46, -99, -20, 70, -70, 7, 22, -3, 77, 28, 10, -73], np.int16), '[::-1][:59]', True),
    'out0': (np.array([True, False, False, True, True, False, False, True, True, False, True, False, False, True, False, True, False, True, False, False, True, False, True, False, False, True, False, True, False, False, False, True, False, False, True, False, False, True, False, False, False, True, True, False, False, True, False, False, False, True, False, False, True, False, False, False, True, True, True], np.bool_), '', True),
    'x1': (np.array([-28, -83, -52, 11, -61, -58, 68, -93, 13, -1, 81, -74, 64, 68, -72, 65, -12, -72, 2, 8, -57, -77, -90, 48, -32, -82, -39, -19, 60, -13, -36, -87, -79, 57, -16, -100, -16, -29, 47, 74, 85, -91, -52, -61, -28, 48, -83, -38, -33, -34, -43, 8, 1, -88, 80, 14, 12, -28, -61, -9, -78, -58, 48, 27, -98, 73, 3, 2, 76, -58, 23, -35, 40, -17, 54, -69, 32, 79, -78, 11, -53, 3, 29, 84, -72, 84, 4, -37, -19, 93, -52, -76, 63, 94, -81, -80, -11, 68, 11, -41, -20, -72, 50, -5, -77, -86, 56, -36, -98, -37, -21, 50, 22, -34, -89, 16, -86, 90, -96, -41, 7, -88, -24, 63, -43, -58, 6, -89, -9, -72, 39, 70, -4, -32, -82, -15, 62, 65, -14, -32, -18, 80, 71, 99, -17, 0, -23, -78, 64, -93, 97, 80, 42, -48, -66, -10, 41, 70, 20, 31, 18, 7, -63, -7, 24, 5, 48, -14, -81, -36, 83, -67, -72, -16, -86, 52, -97, -6, 70, 52, -36, -92, -86, 65, -97, -16, 20, 45, 5, 20, 73, -89, 27, -49], np.int8), '[::2][:64]', True),
    'acc0': (np.array([-2, 36, -36, 26, 61, 89, 81, 51, -64, -20, 49, 63, 95, 0, -34, 11, -7, -26, -7, -49, -45, 27, -1, -4, 17, -50, -68, -46, -95, 66, 47, 84, -71, 24, -81, 4, 49, 82, -50, 51, -31, 67, -38, 27, -6, 21, 37, -55, 41, -79, -27, -34, -92, -20, 71, -51, 43, -74, 59], np.int32), '', True),
    'out2': (np.array([100, 14, 24, 66, 24, 10, 99, 66, 29, 18, 43, 68, 45, 81, 18, 71, 96, 40, 100, 32, 4, 63, 33, 64, 62, 68, 0, 42, 16, 92, 81, 53, 19, 18, 63, 38, 85, 23, 60, 67, 88, 73, 59, 65, 8, 9, 54, 61, 10, 44, 3, 82, 31, 12, 55, 85, 59, 11, 54, 60, 82, 55, 22, 76, 22, 7, 72, 67, 62, 13, 62, 77, 75, 45, 93, 21, 67, 71, 53, 46, 3, 5, 69, 51, 80, 79, 74, 1, 81, 70, 52, 5, 58, 91, 46, 74, 46, 97, 9, 90, 51, 11, 58, 61, 16, 68, 94, 91, 88, 12, 6, 9, 40, 57, 25, 21, 57, 48, 36, 8, 82, 32, 49, 100, 58, 22, 28, 100, 43, 61, 17, 11, 39, 63, 37, 69, 22, 78, 5, 36, 79, 1, 30, 65, 35, 62, 28, 3, 53, 53, 1, 7, 39, 34, 81, 53, 16, 23, 76, 11, 65, 53, 32, 54, 72, 77, 45, 65, 60, 81, 60, 94, 89, 49, 48, 62, 40, 41, 76], np.uint64), '[::-3][:59]', True),
    'p_0': np.uint64(98),
    'x0': (np.array([60, 76, -45, -33, 82, -83, 48], np.int64), '', True),
    'acc1': (np.array([5], np.uint32), '', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

