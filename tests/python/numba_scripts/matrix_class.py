"""A class of matrices that are indexed and sliced like arrays, by Python and by compiled code."""

import numpy as np
from numba import float64, njit
from numba.experimental import jitclass


@jitclass([("a", float64[:, :])])
class Matrix:
    def __init__(self, a):
        self.a = a

    def __getitem__(self, key):
        return self.a[key]

    def __setitem__(self, key, value):
        self.a[key] = value

    def __add__(self, other):
        return Matrix(self.a + other.a)

    def __matmul__(self, other):
        return Matrix(self.a @ other.a)

    def __eq__(self, other):
        return np.all(self.a == other.a)

    def __len__(self):
        return self.a.shape[0]

    @property
    def trace(self):
        return np.trace(self.a)


m = Matrix(np.arange(9.0).reshape(3, 3))
m[0, 0] = 5
m[1] = np.zeros(3)
m[:, 2] = 7.0
print(m[0, 0], m[1:], m[:, 1], m[::-1, 0])
print((m + m)[0], (m @ m).a, m == m, len(m), m.trace)


@njit
def border(m):
    m[0] = -1.0
    m[-1, :] = -1.0
    m[:, 0] = -1.0
    return m[1:, 1:].sum(), m[0, 1]


print(border(m), m.a)
