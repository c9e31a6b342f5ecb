"""A kernel of the fuzzer's, seed 200238. A load was moved behind the store of what it reads.

Run me: the interpreter of tests/fuzz says what must come out. HEDDLE_DEVICE chooses the device.
"""

import math
import operator
from collections import namedtuple

import numpy as np

from heddle import cuda

@cuda.jit
def kernel(out0, s_0, out2, x0, again0, out1):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    t = cuda.threadIdx.x
    if i < 98:
        out0[i - 98] = (i // t)
        g1 = lambda a52: (max(t, i) % np.float32(s_0))
        v53 = (again0[i - 98] if (again0[i] >= t) else s_0)
        v53 += ((t // 7) <= ((t == s_0) | (again0[i] > i)))
        if ((t != again0[i]) or (v53 != t)):
            v54 = cuda.fma(s_0, again0[i], v53)
            out2[i] = np.int16(t)
            v55, v56 = divmod(((t - i) ** 2), i)
        v57 = np.cbrt((v53 != t))
        w58 = np.int64(t) % 5
        while w58 > 0:
            w58 -= 2
            v53 = np.float64(again0[i - 98])
            out0[i] = (again0[i] * s_0)
        out0[i] = v53

GRID, BLOCK = (3,), (33,)
OPTIONS = {}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {
    'out0': (np.array([-17.5, 75.5, 30.5, 51.25, 26.25, -57.5, 50.0, 44.75, 23.0, 42.5, 9.0, 28.5, 20.125, -49.0, -59.75, 8.625, -143.0, -237.0, 18.75, -1.25, -18.5, -73.0, 16.0, -22.875, -51.5, 4.25, 187.0, -17.625, 14.25, 17.5, -223.0, -5.0, 254.0, 168.0, 218.0, 29.125, 38.5, 243.0, -111.0, 36.5, -6.625, 110.0, -118.0, -94.5, 8.0, -49.5, 19.0, 102.0, 123.5, -28.0, -30.125, 66.0, 138.0, 20.375, -23.25, -49.5, -94.0, 48.5, -5.5, 119.5, -39.0, -18.125, -38.0, 107.0, -56.25, -214.0, -31.5, -10.0, 20.375, 23.875, 93.0, -27.0, 40.0, 148.0, -26.875, 52.0, -118.0, 93.5, -26.125, -66.0, -18.0, -22.5, 8.25, -52.0, -18.625, -11.75, -0.875, -7.25, 82.0, -59.0, -23.5, 115.0, -17.875, -41.0, 194.0, 21.75, 110.5, 111.0], np.float64), '', True),
    's_0': np.float64(-9.0),
    'out2': (np.array([-73, 27, -13, 6, -98, -70, 16, 41, -66, 70, 8, 32, -44, 58, 10, -95, -14, -32, -6, -83, 34, -54, 62, 26, 98, 50, 70, -49, -17, -13, -22, -40, 60, 20, -14, 37, -21, -64, -6, 37, 51, 64, -98, 5, -19, 96, -5, 56, -74, 41, 16, 22, -31, 28, 6, -99, 67, 99, -91, -24, 86, -20, 29, 80, 5, -78, 95, 29, 25, -8, 62, -63, 68, 80, 97, 49, -83, -65, -76, 5, 36, -85, -70, 99, -1, -1, 67, 56, -42, -58, 70, 46, 30, 29, 53, 87, -8, 71, 40, 95, 24, -51, -85, -67, 30, 95, 80, 22, 99, 38, -40, -48, -54, 69, -59, -62, 76, -51, -16, -89, -66, -64, 49, 48, -80, -16, -74, 96, -79, -91, 93, 89, -1, 10, -62, 39, -84, 20, 8, -60, 44, 11, -72, 72, 77, 13, -70, 91, 52, -1, 79, -69, -72, -57, 32, 17, 42, -1, 80, 51, -82, 37, -61, -55, 45, 62, 73, 13, -86, -70, 70, -69, -76, -20, -23, -24, 28, 14, 35, -1, 33, -97, 54, 31, -31, 88, -51, 5, -100, 22, 26, 17, 1, -1, -69, 70, 100, -44, 90, 31, 63, -91, 44, 30, 10, 27, -52, 31, -48, 74, 96, -6, -20, -35, 3, -77, 6, 60, 12, 56, -67, 91, 14, 6, -85, 74, -11, -28, 31, 15, 85, -94, 91, -6, 85, 21, -18, -22, 5, -37, 62, -81, 64, -53, -47, 53, -88, 35, 3, -81, 64, 41, -32, 9, 68, -41, -92, 42, -39, -78, 19, 92, -43, -41, -13, 75, -82, -84, 36, 13, 62, 20, -93, 55, -35, 64, 45, 76, -59, 65, 15, -82, -37, -48, -13, 84, -72, 30, -86, -39, -81, 65, -60, -15, 86, 43], np.int32), '[::2][:98]', True),
    'x0': (np.array([False, True, True, True, False, True, False, False, True, False, False, False, False, False, False, False, False, True, True, True, True, False, True, True, False, False, False, True, False, False, True, True, False, False, False, True, False, False, True, False, True, False, False, True, False, True, True, False, True, True, False, True, True, False, False, True, True, False, False, True, True, False, False, False, True, False, True, False, False, False, False, True, False, True, False, True, True, True, False, True, True, False, False, False, True, True, True, False, True, True, False, False, True, False, False, False, True, True, True, False, True, True, False, True, False, True, False, False, True, False, True, False, False, False, True, True, False, True, True, True, False, False, False, True, False, False, False, True, True, True, False, False, False, False, True, False, True, False, True, False, True, False, False, True, True, False, True, False, False, True, False, True, False, True, True, True, False, True, False, True, True, True, True, False, False, False, False, True, True, True, True, True, True, False, True, True, True, False, True, True, True, True, True, True, True, True, False, False, True, False, True, False, False, False, True, True, False, False, False, False, False, True, True, True, False, True, False, True, True, False, False, False, True, False, True, False, True, True, False, True, True, True, True, False, True, True, False, False, False, False, True, False, False, False, False, True, False, False, True, False, True, False, False, True, True, False, True, True, True, False, True, True, True, True, False, True, False, True, True, True, True, False, False, True, True, True, False, True, True, True, False, True, False, True, True, True, True, False, True, True, True, False, False, True, False, True, False, True, False, False, False, False, False, True, True, True], np.bool_), '[::-1][:98]', True),
    'again0': 'out0',
    'out1': (np.array([37, -27, -43, 97, 52, -54, -74, -79, -64, 50, 61, -27, 96, 12, 79, 32, 84, -45, 6, 92, -29, -54, 41, 50, 17, 65, 12, -29, 68, 72, -41, -28, -70, 82, -48, -71, 94, 96, -23, -7, -87, 81, 83, 16, 19, -28, 92, 38, 65, -2, 3, -13, 99, 86, -81, 65, 58, 10, 84, 56, 55, -5, -53, 14, 9, 1, 67, -10, -19, 39, -11, -30, -6, -38, 12, 62, -39, 24, 23, -1, 86, -23, 36, 42, 47, -90, -58, -41, 48, 71, 1, 7, 23, -52, -11, -37, -27, 79, 1, -12, 28, 44, 54, -69, -82, -54, -13, -90, 66, 96, -70, 12, -36, 66, 48, -68, -10, -91, -8, 37, 50, -97, 67, -59, 52, 95, 36, -70, 37, 38, -92, 54, -93, 25, 43, 99, 98, 78, -76, -36, -62, 79, -83, -8, 87, -59, 89, -33, -45, -83, -25, 60, 63, 75, -6, -97, -44, 75, 74, 74, 12, 49, -39, 3, -84, -38, 36, 14, 58, 94, -30, -41, 22, 23, -7, 60, -96, -45, -27, -60, -63, 9, 72, -99, -53, 95, -65, 33, -6, 63, -76, 34, 68, 34, -94, 43, -33, -21, 73, 11, -53, -48, 81, -43, 90, -52, -27, 15, 70, -83, 28, 25, 59, 54, 77, -75, -83, 43, -71, 96, -69, 15, 52, -79, 62, -81, -4, 36, -82, 46, -84, 30, -39, 85, -13, -35, -89, -31, 7, -82, 74, -27, 25, -37, 12, -44, -17, 100, 24, -83, 34, -71, 57, 37, -34, 72, 31, -48, 10, 54, 31, -72, 53, 43, 53, 100, -72, -51, 50, 14, -27, 1, 78, 42, 46, 100, 90, 79, -46, 50, 30, -50, -22, -30, -58, 52, 71, 62, 51, 27, 14, -82, 90, -59, -11, 62], np.int8), '[::2][:98]', True),
}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from script import replay

    replay(__file__)

