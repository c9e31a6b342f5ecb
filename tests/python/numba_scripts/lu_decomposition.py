"""LU decomposition on device arrays, a column at a time; views of the result."""

import numpy as np
from numba import cuda


@cuda.jit
def eliminate(a, k):
    i, j = cuda.grid(2)
    if k < i < a.shape[0] and k < j < a.shape[0]:
        a[i, j] -= a[i, k] / a[k, k] * a[k, j]


@cuda.jit
def divide(a, k):
    i = cuda.grid(1)
    if k < i < a.shape[0]:
        a[i, k] /= a[k, k]


n = 12
m = np.random.default_rng(0).random((n, n)) + np.eye(n) * n
d = cuda.to_device(m)
for k in range(n):
    eliminate[(2, 2), (8, 8)](d, k)
    divide[2, 8](d, k)
both = d.copy_to_host()
print(np.allclose((np.tril(both, -1) + np.eye(n)) @ np.triu(both), m))
d[0, :] = 7
d[1] = np.arange(n)
print(d[:2, 1:4].copy_to_host().tolist(), d.T.shape, d[:, 1].copy_to_host()[:2].tolist())
