# Business logic in device functions that are also called as Python; constants in constant and local memory.
import math

import numpy as np
from numba import cuda, float64, types

WEIGHTS = np.array([0.25, 0.5, 0.25])


@cuda.jit(device=True)
def clamp(x, lo, hi):
    return max(lo, min(x, hi))


@cuda.jit(device=True)
def smooth(values, i):
    weights = cuda.const.array_like(WEIGHTS)
    window = cuda.local.array(3, dtype=float64)
    for k in range(3):
        window[k] = values[clamp(i + k - 1, 0, len(values) - 1)]
    total = 0.0
    for k in range(3):
        total += weights[k] * window[k]
    return total


@cuda.jit([types.void(types.float64[:], types.float64[:]), "void(float32[:], float32[:])"])
def smooth_all(values, out):
    i = cuda.grid(1)
    if i < len(values):
        out[i] = math.sqrt(abs(smooth(values, i)))


for dtype in (np.float64, np.float32):
    values = np.linspace(-1, 1, 50).astype(dtype)
    out = np.zeros_like(values)
    smooth_all[2, 32](values, out)
    padded = np.pad(values, 1, mode="edge").astype(float)
    expected = np.sqrt(np.abs(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]))
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
print(clamp.py_func(7, 0, 3), len(smooth_all.signatures))
