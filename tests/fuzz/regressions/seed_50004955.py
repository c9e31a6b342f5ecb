"""A kernel of the fuzzer's, seed 50004955: after a loop of compare-and-swaps, ptxas 13.0 took apart lanes to be together.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit(device=True)
def f0(a1, a2=True):
    for j3 in range(np.int64((-np.uint8(255))) % 3):
        pass
    return ((~cuda.threadIdx.x) | np.int64(a1)), (cuda.fma(a1, a1, a1) * np.float32(a1))


@cuda.jit(device=True)
def f1(a1, a2):
    v3 = np.int32(np.int8(1))
    v4 = (np.int64(a2) - (v3 - a2))
    v5 = (v3 * np.minimum(v4, v4))
    return a1


@cuda.jit
def kernel(acc0, x2, x0, out2, out0, out1, s_1, s_0, x1):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    t = cuda.threadIdx.x
    sh0 = cuda.shared.array(34, np.int32)
    sh0[t] = 3
    cuda.syncthreads()
    if i >= 28:
        return
    cuda.syncthreads()
    cuda.atomic.add(sh0, np.int64(np.int64(s_1)) % 33, (operator.sub(t, i) >> 48))
    cuda.syncthreads()
    v1 = sh0[t % 33]
    cuda.syncthreads()
    v1 = ((np.int16(s_1) & np.uint64(s_0)) if (not ((i > x0[v1 % x0.shape[0], t % 3, x0[t % 2, i % x0.shape[1], t % x0.shape[2]] % x0.shape[2]]) & bool(i))) else min((v1 << (v1 & 31)), f1(np.uint32(v1), a2=np.uint64(s_1))))
    out0[i] -= (s_1 != v1)
    sh0[t] = int(abs(s_1))
    v2 = cuda.syncthreads_or(np.int32((t == s_1)))
    v3 = sh0[v2 % 33] + np.uint64(s_0)
    cuda.syncthreads()
    out0[i] = (np.exp((s_0 / s_0)) ** 3)
    cuda.atomic.sub(acc0, 0, ((x1[i % x1.shape[0], v3 % x1.shape[1]] | v3) // -3))
    out1[i, :] = out1[i, :]
    v1 = np.int64(np.int16((~f1(np.uint32(v1), np.uint64(v2)))))
    v1 ^= ((i ^ x1[v2 % x1.shape[0], x1[v1 % x1.shape[0], -1 - (np.maximum(v1, i) % x1.shape[1])] % x1.shape[1]]) if (s_0 != s_1) else cuda.clz(v2))
    v2 = (v3 + ((v1 - x0[v3 % x0.shape[0], (lambda l4: operator.irshift(t, 10))(v1) % 3, -1 - (x1[i % x1.shape[0], i % 5] % x0.shape[2])]) + (t % -3)))
    cuda.syncthreads()
    cuda.atomic.min(sh0, np.int64((v1 if (v3 != s_0) else 7)) % 33, min((v3 << 37), sum((x1[min(v2, x0[v2 % 2, v1 % x0.shape[1], (v1 % np.int64(t | 1)) % x0.shape[2]]) % 3, v3 % x1.shape[1]],))))
    v5 = cuda.syncthreads_count(np.int32((s_1 >= s_1)))
    v6 = sh0[(v2 + x1[i % x1.shape[0], v3 % x1.shape[1]]) % 33]
    v7 = cuda.syncthreads_count(np.int32((not (s_1 < v5))))
    v6 = x0[(x1[v6 % 3, -1 - (v7 % x1.shape[1])] | v6) % x0.shape[0], -1 - (t % x0.shape[1]), -1 - ((x1[t % x1.shape[0], max(3, v5) % 5] << (v1 & 7)) % x0.shape[2])]
    out1[i, 2] = v5
    out2[i] = v5

GRID, BLOCK = (1,), (33,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'acc0': (np.array([-16, 10, -34, -14, 9], np.int64), '[::2][:1]', True),
    'x2': (np.array([True, False, False, True, False, True, False, True, False, True, False, True, False, True, False, False, True, True, False, True, True, True, True, True, False, True, True, False, True, False, False, False, True, False, False, False, True, False, True, True, False, False, False, True, False, True, True, False, False, True, False, False, False, False, True, False, False, False, True, False, False, False, False, False, True, True, False, False, False, True, True, False, True, False, False, True, False, False, False, True, True, True, True, False, True, False], np.bool_), '[::-1][:28]', True),
    'x0': (np.array([-95, -51, -100, -48, -45, -23, 31, -52, -93, 30, -24, -23, -52, 92, -68, 55, -52, -63, -31, -93, -44, 72, -29, 45, -37, 97, -89, -72, 81, 67, -94, 28, 71, 1, 66, -49, -91, 78, 2, 98, 56, 32, -39, 25, 90, -58, -4, -26, -50, 54, 95, -26, 55, -98, 35, 9, -54, -41, -48, 58, -54, -87, 23, 67, 78, 90, 18, 78, -45, 24, 98, 25, -91, -55, -1, 9, -73, -83, 92, -18, 15, 95, 92, 39, -100, 26, 92, 29, -88, 76, 36, -67, 85, -64, 91, -38, 47, 52, -18, 93, 57, -9, 74, -4, -72, -58, -48, 45, -28, 5, 51, -24, -11, 40, -68, -69, 33, 60, 65, 85, 28, 33, -53, 100, 35, 79, -68, -82, -62, 50, 100, 73, -47, 2, 39, 99, 34, 92, 13, 2, -13, -37, -40, 46, 9, -68, 38, 60, 99, 52, -74, 15, 66, -16, 20, 73, -6, 69, 100, 82, -83, -44, -3, -21, -65, -64, 47, 31, 97, 55, -45, 23, -33, -96, 31, -6, 69, 87, -9, 94, -51, 24, -58, 49, -55, 9, -45, 86, 40, -32, -86, -50, 78, -2, -100, -54, -83, 15, -23, 30, 83, -48, -19, 65, -97, -86, 18, -68, 43, 63, -56, -22, -69, 40, 91, -65, -97, -3, 11, -86, -34, 10, 59, -45, 53, -11, 66, -8, -86, 42, -7, 58, -27, 84, -45, 56, -56, 90, 64, 97, -12, 67, -26, -51, 27, 97, 69, 25, -48, -61, 46, 54, -99, -98, -44, 33, -51, -35, 50, -65, 4, -5, -82, 69, 66, -96, 75, -23, 82, 71, 18, -84, -91, 42, -88, 9, 42, -17, 0, -91, -9, 91, 64, -20, 9, -8, 72, -33, -71, -14, -14, -4, -34, -58, 40, 16, 84, -69, 30, -90, -79, 3, 45, 93, 80, 71, 25, -52, 37, 9, 52, 9, -87, 27, 62], np.int64).reshape((5, 7, 9)), '[::-1, ::2, ::-1][:2, :3, :4]', True),
    'out2': (np.array([46, 91, 8, 16, 44, 18, 21, 79, 65, 6, 57, 5, 83, 48, 30, 74, 12, 50, 32, 33, 17, 56, 66, 2, 25, 58, 64, 18], np.uint32), '', True),
    'out0': (np.array([58, -65, 25, 84, -84, -31, 99, -92, 10, 85, -59, 21, 88, -18, -89, 38, -4, 21, -52, 80, -59, 71, -70, 51, -39, -41, 6, -93, 35, -89, 64, -29, -62, 60, -56, -54, -47, 53, 40, -80, 84, 19, -65, -98, -67, 3, 51, 82, -60, -88, -20, 46, -65, -69, -99, -53, -25, 2, 38, -88, -29, -87, 9, 73, -2, -8, -25, -13, -17, 32, -5, -56, -16, 70, 79, -9, 70, -5, 25, 84, 49, 94, 69, 68, -63, 69], np.int16), '[::2][:28]', True),
    'out1': (np.array([22, 80, 16, 14, 70, 26, 95, 93, 9, 88, 49, 45, 86, 36, 15, 7, 15, 25, 98, 5, 61, 61, 20, 52, 3, 82, 11, 17, 40, 18, 56, 31, 3, 10, 24, 57, 95, 68, 52, 35, 17, 7, 38, 72, 42, 38, 71, 71, 57, 9, 84, 85, 93, 73, 98, 64, 66, 55, 64, 4, 0, 73, 22, 98, 91, 27, 42, 92, 21, 32, 100, 54, 47, 22, 64, 69, 21, 74, 25, 18, 1, 88, 43, 10], np.uint32).reshape((28, 3)), '', True),
    's_1': np.float32(94.0),
    's_0': np.float32(10.125),
    'x1': (np.array([-8, -33, 85, -87, -89, 45, -64, -53, 64, -43, -63, -42, 86, 99, -66, -49, -57, 1, 89, 48, 23, -4, -82, -5, 11, 97, 27, -51, -2, 91, 53, -51, 97, 30, -81, -72, -79, 84, -83, -79, 72, -1, 8, -52, 37, -66, -77, -21, 61, 64, 94, 44, 49, 22, 39, 91, -30, -64, 7, 73, 68, -64, 64, 14, -65, 10, -60, 39, -86, 23, -14, -92, 7, 57, -5, -32, 99, -80, 83, 56, 84, 47, 73, 64, 99, 73, -41, -87, 77, -12, 47, -67, 97, 92, -5, -32], np.int64).reshape((12, 8)), '.T[::-1, ::2][:3, :5]', False),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

