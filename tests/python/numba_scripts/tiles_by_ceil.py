"""Matrix product with tiles, as in a lecture: the number of phases is a ceil()."""

import math

import numpy as np
from numba import cuda, float32

TILE_WIDTH = 16


@cuda.jit
def matmul(m, n, p, k):
    ms = cuda.shared.array((TILE_WIDTH, TILE_WIDTH), dtype=float32)
    ns = cuda.shared.array((TILE_WIDTH, TILE_WIDTH), dtype=float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE_WIDTH + ty
    col = cuda.blockIdx.x * TILE_WIDTH + tx
    value = 0.0
    for ph in range(math.ceil(k / TILE_WIDTH)):
        ms[ty, tx] = 0
        ns[ty, tx] = 0
        if row < m.shape[0] and ph * TILE_WIDTH + tx < k:
            ms[ty, tx] = m[row, ph * TILE_WIDTH + tx]
        if ph * TILE_WIDTH + ty < k and col < n.shape[1]:
            ns[ty, tx] = n[ph * TILE_WIDTH + ty, col]
        cuda.syncthreads()
        for i in range(TILE_WIDTH):
            value += ms[ty, i] * ns[i, tx]
        cuda.syncthreads()
    if row < p.shape[0] and col < p.shape[1]:
        p[row, col] = value


a = np.arange(50 * 37, dtype=np.float32).reshape(50, 37) % 7
b = np.arange(37 * 41, dtype=np.float32).reshape(37, 41) % 5
c = np.zeros((50, 41), dtype=np.float32)
grid = (math.ceil(41 / TILE_WIDTH), math.ceil(50 / TILE_WIDTH))
matmul[grid, (TILE_WIDTH, TILE_WIDTH)](a, b, c, 37)
print(np.allclose(c, a @ b), c[3, 4])
