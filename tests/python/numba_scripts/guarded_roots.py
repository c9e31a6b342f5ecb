"""Roots by Newton's method; what does not converge is an exception that its caller catches."""

import numpy as np
from numba import njit


@njit
def root(a, start):
    x = start
    for _ in range(50):
        if x == 0.0:
            raise ZeroDivisionError("the slope is 0 at x = 0")
        following = 0.5 * (x + a / x)
        if abs(following - x) < 1e-12:
            return following
        x = following
    raise ValueError("no convergence")


@njit
def roots(values):
    out = np.empty(values.size)
    failed = 0
    for i in range(values.size):
        try:
            out[i] = root(values[i], values[i])
        except Exception:
            out[i] = -1.0
            failed += 1
    return out, failed


found, failed = roots(np.array([4.0, 0.0, 2.0, -1.0, 9.0]))
print(found.round(6).tolist(), failed)
try:
    root(-2.0, 1.0)
except ValueError as error:
    print("ValueError:", error)
