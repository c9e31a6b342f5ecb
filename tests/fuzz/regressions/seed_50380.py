"""A kernel of the fuzzer's, seed 50380. 16 elements differ on cpu

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit(device=True)
def f0(xs, a1, a2, a3):
    pass

@cuda.jit
def kernel(out1, xr, p_0, x0, p_2):
    i = np.int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x
    t = cuda.threadIdx.x
    sh0 = cuda.shared.array(33, np.int8)
    v1 = xr[i % xr.size].b
    sh0[t] = (xr[xr[np.int64(p_2) % 99].a % 99].a if v1 < xr[(t - x0[np.int64(np.uint64(18446744073709551615)) % x0.size]) % xr.size].a <= p_2 and (v1 > xr[np.int64(p_2) % xr.size].a and (not v1 == x0[i % 99])) else np.int32(p_2)) + np.int8(bool(x0[t % x0.size]))
    cuda.syncthreads()
    v2 = sh0[p_0 % 33]
    cuda.syncthreads()
    sh0[t] = p_0.nothing if isinstance(p_0, bool) else cuda.popc(t)
    cuda.syncthreads()
    v3 = sh0[(v2 & t) % 33]
    out1[2, i] = bool(v3)

GRID, BLOCK = (3,), (33,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'out1': (np.array([False, False, False, True, False, False, False, False, True, False, True, True, False, False, False, False, True, False, True, True, False, True, False, True, True, False, False, False, True, True, True, True, True, False, False, False, True, False, False, False, True, True, False, False, False, False, True, False, True, True, True, False, False, False, False, True, False, True, False, True, False, True, True, False, True, True, True, False, False, False, True, False, False, True, True, False, False, True, True, False, True, True, False, False, True, True, False, False, False, False, False, True, True, False, False, False, True, False, False, False, False, False, False, False, False, True, False, True, False, False, False, True, True, False, True, True, True, True, True, False, True, False, True, True, True, True, True, True, True, True, False, False, True, True, True, False, False, False, False, False, True, False, True, True, False, True, True, False, False, True, False, True, True, False, True, True, True, False, False, False, False, False, False, False, False, False, True, False, False, False, False, True, True, True, False, True, False, True, False, False, True, False, False, True, False, False, True, False, True, True, True, False, False, True, True, False, True, True, False, False, False, True, True, True, False, True, True, False, True, False, False, False, True, False, False, False, False, True, True, False, True, False, True, False, True, False, True, True, True, True, True, False, False, True, True, False, False, False, True, False, False, True, False, False, True, True, False, True, True, False, True, False, False, False, True, False, True, False, False, True, True, False, False, True, True, True, False, True, True, True, True, False, False, False, False, True, False, False, True, True, True, True, True, False, True, True, True, True, True, False, False, True, False, False, True, True, True], np.bool_).reshape((3, 99)), '', True),
    'xr': (np.array([(-44, -88.5, 14), (31, -5.75, 91), (-43, 29.75, 71), (54, -26.125, 73), (-83, 22.0, 8), (64, 17.75, 37), (80, 0.25, 90), (80, 231.0, 90), (-87, 102.0, 46), (48, 110.5, 46), (70, 56.0, 82), (-61, 50.0, 66), (-45, -5.0, 66), (93, 228.0, 53), (-24, 247.0, 71), (-88, 0.0, 13), (16, 18.0, 75), (-64, 28.125, 19), (-3, -102.0, 83), (52, -52.5, 6), (-33, 28.0, 82), (-67, -153.0, 78), (22, -33.75, 15), (22, 10.75, 77), (-52, -201.0, 48), (-91, 81.5, 96), (-69, -29.0, 73), (20, -25.75, 39), (84, 9.25, 7), (-8, -146.0, 45), (22, -26.5, 71), (33, 19.25, 17), (8, 17.0, 45), (76, -235.0, 96), (-59, -86.0, 100), (20, -140.0, 83), (22, -70.5, 60), (53, 85.0, 89), (94, -20.75, 40), (-60, 100.0, 32), (83, -235.0, 55), (-84, 34.5, 4), (-53, -240.0, 10), (71, -51.5, 0), (-32, -64.5, 93), (-2, 66.0, 90), (0, 63.0, 12), (-28, -26.5, 61), (-29, 27.0, 79), (39, 13.25, 92), (-92, 201.0, 99), (73, 55.0, 44), (96, -87.0, 72), (20, -13.25, 100), (-58, -3.625, 23), (-5, -54.75, 46), (-81, -117.0, 77), (1, -12.75, 91), (-29, -19.875, 6), (62, 186.0, 42), (23, 108.0, 93), (-43, -20.0, 65), (97, 207.0, 21), (32, -179.0, 43), (34, 28.25, 37), (-50, 61.5, 41), (80, -59.75, 91), (-7, -27.125, 37), (82, 219.0, 48), (-95, -17.5, 59), (58, -151.0, 58), (-67, -48.0, 4), (81, -12.875, 3), (18, 3.5, 63), (53, 99.0, 12), (49, 89.5, 73), (-39, -239.0, 22), (-65, 26.25, 1), (-28, -122.0, 42), (-17, 13.5, 69), (33, 124.5, 100), (-8, 12.5, 87), (20, 103.0, 10), (40, 21.5, 94), (-99, 3.875, 1), (53, -90.0, 21), (-83, 146.0, 40), (74, 26.875, 70), (-40, 156.0, 77), (-100, -20.625, 73), (58, 4.625, 96), (-46, -24.375, 41), (71, -71.0, 77), (45, 41.0, 59), (-75, 30.0, 34), (73, -105.5, 16), (43, -96.5, 84), (65, -53.0, 10), (-55, -12.25, 2)], np.dtype([('a', '<i4'), ('b', '<f8'), ('c', '<u8')])), '', True),
    'p_0': np.uint16(19),
    'x0': (np.array([66, -23, 74, 96, -49, 55, 26, -55, -49, 42, -55, 94, 63, -1, -20, -15, -44, -43, -6, 89, 48, 52, 80, -62, 14, -49, -87, 7, -32, -38, 10, -100, 27, 79, 46, 87, -37, -36, -38, -91, -78, -98, 87, -4, 82, 64, 11, 43, -30, -18, 26, 88, 51, -15, 10, 100, 44, 24, -8, 59, 45, -27, -89, 83, 47, 99, -62, -41, 54, -53, 47, 20, -60, -63, 72, 88, -68, 7, 44, 71, 96, 99, 93, 19, 53, 27, 86, 21, -58, -70, -78, -56, 72, 2, -54, -2, 34, -93, 17, -90, 7, -8, 68, 62, -30, 51, 16, -100, 98, -70, 59, 76, -54, 84, -78, -46, 75, -32, -24, -80, -15, -98, 80, -34, 10, -57, 7, -55, 32, 33, -42, -4, 50, 18, -5, -94, -20, 93, -19, 66, -42, 67, 93, 76, 79, 14, -57, -87, -8, -91, 86, 79, -97, 46, -20, -10, 9, 26, -8, -98, -75, -10, 32, -52, -25, -17, 58, 96, -51, -43, -63, -59, -36, -19, -17, -94, -58, -33, 8, 68, -47, 44, 92, -60, 43, 79, -83, -15, 48, 3, 88, 8, 38, -32, -14, -9, -38, 38, 88, -6, 66, -60, -47, -28, 88, -99, -86, 36, 84, 60, 50, -80, 83, -61, 10, -89, 29, -13, -65, -41, 46, 34, -81, 90, -99, -88, -51, -48, -7, -32, -37, 97, -86, 58, -60, 44, -26, -73, -1, 77, -7, -64, 49, -93, -28, 41, 69, 37, -37, 93, -71, 30, 6, -42, 94, 39, 25, -70, 36, 100, 30, -32, 66, 51, 25, 53, -50, 76, 79, 100, -9, 3, 94, 86, 11, 38, 41, 17, 87, -10, 9, -5, 68, 65, -55, -77, 89, 48, 48, 22, -22, 11, -44, 38, -79, -61, 20, 60, 16], np.int32), '[::2][:99]', True),
    'p_2': np.uint64(71),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)
