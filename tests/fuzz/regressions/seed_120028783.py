"""A kernel of the fuzzer's, seed 120028783: lanes that waited for each other after a loop of compare-and-swaps waited for ever.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit(device=True)
def f0(a1, a2):
    v3 = (a2 - a2)
    a1 -= np.maximum(abs(v3), (a2).bit_count())
    return math.log10((a1 * (a1 <= a1)))


@cuda.jit(device=True)
def f1(a1, a2, a3=np.int32(1)):
    a2 &= (int(np.float32(0.5)) % np.int64((a2 if (a1 and a1) else a3) | 1))
    for j4 in range(cuda.clz(a2) % 5):
        if (((not a1) + 3) < bool(a3)):
            continue
    return a3


@cuda.jit
def kernel(acc1, x0, out0, acc0):
    i = np.int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x
    t = cuda.threadIdx.x
    if i >= 47:
        return
    out0[i - 47] = (x0.T[i % x0.shape[1], (i * i) % 3] ** -1)
    for e1 in (np.uint16(x0[t % x0.shape[0], i % x0.shape[1]]), np.uint16(i),):
        for j2 in range((e1,)[0] % 6):
            cuda.atomic.inc(acc1, np.int64((i << 30)) % 3, 5)
            v3 = math.ldexp(x0[i % 3, i % x0.shape[1]], 0)
            if (j2 <= (-e1)):
                continue
        else:
            v6 = abs(np.float32(-0.25))
    w7 = np.int64((t + i)) % 7
    while w7 > 0:
        w7 -= 2
        v8 = cuda.popc(w7)
        v8 = (t * w7)
        v9, v10 = np.maximum(((t > 0.1) + 3), (v8, t, -1,)[-1]), np.floor(v8)
    v11 = cuda.ballot_sync(0xffffffff, (not (i > w7)))
    out0[i] = v11
    out0[i - 47] = v11

GRID, BLOCK = (1,), (48,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'acc1': (np.array([78, 99, 14], np.uint64), '', True),
    'x0': (np.array([-27.75, -196.0, 80.5, 15.75, -61.5, 31.375, 30.5, -100.0, 19.0, 76.0, -19.75, 118.0, -105.5, -129.0, 9.5, 66.0, -27.0, 12.0, -21.75, 68.0, -72.5, -10.0, 126.0, 47.25, -212.0, 3.125, -10.625, 24.0, -0.25, 113.5, 38.0, -59.75, 29.875, 7.5, -31.25, 23.25, -22.0, 76.5, -100.0, 3.25, 26.25, -198.0, -33.0, -1.5, -19.0, -200.0, 4.875, -17.625, -34.5, -42.75, 11.875, 25.0, 9.625, 17.0, -60.0, -73.0, -61.0, -24.75, -116.0, 31.0, -28.875, 32.0, -114.0, 24.375, 119.5, -2.75, 228.0, 119.5, 70.0, 67.0, -18.375, -58.0, 30.875, -17.0, 6.25, -64.0, 26.625, 10.0, -18.5, -6.0, 30.25, 24.0, -68.0, 45.25, -9.0, 44.0, 49.5, -27.375, 190.0, -8.625, 20.5, 119.0, -30.375, -31.0, 132.0, 1.5], np.float64).reshape((12, 8)), '.T[::-1, ::2][:3, :5]', False),
    'out0': (np.array([38, 87, 25, 9, 94, 57, 36, 3, 83, 85, 33, 98, 31, 1, 7, 85, 3, 43, 42, 4, 96, 95, 24, 92, 82, 50, 21, 83, 68, 20, 68, 23, 32, 77, 20, 46, 88, 32, 97, 88, 5, 43, 7, 28, 39, 78, 92, 28, 29, 2, 79, 78, 0, 56, 60, 45, 44, 16, 71, 14, 47, 3, 29, 93, 76, 43, 93, 79, 61, 56, 88, 26, 55, 44, 27, 83, 51, 97, 57, 85, 90, 54, 9, 90, 16, 97, 91, 12, 67, 69, 23, 33, 51, 70, 100, 11, 40, 97, 47, 85, 96, 72, 66, 57, 46, 39, 60, 34, 0, 31, 63, 38, 1, 64, 67, 56, 54, 45, 41, 50, 76, 30, 37, 41, 95, 31, 72, 17, 84, 27, 25, 12, 92, 78, 30, 18, 42, 31, 16, 85, 44, 96, 71], np.uint64), '[::2][:47]', True),
    'acc0': (np.array([-91.0, 24.5, 237.0, 128.0, -22.0, -32.5, 5.625, -93.5], np.float64), '', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

