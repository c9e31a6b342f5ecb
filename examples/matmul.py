"""Multiplies matrices in three ways: from global memory, through tiles, through tiles sized at launch.

In the naive kernel every thread reads a whole row of A and column of B, so each number is read from memory n times.
With tiles, the threads of a block load a square of A and one of B into shared memory, wait for each other, and compute
from there: each number is read n / TILE times. A shared array has a constant shape, or its size in bytes is the fourth
number of the launch and the kernel slices it.
"""

import numpy as np

from heddle import cuda

TILE = 16


@cuda.jit
def naive(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def tiled(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), np.float32)
    tile_b = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y

    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        # Threads outside the matrices must reach the barriers; they load zeros.
        tile_a[y, x] = 0
        tile_b[y, x] = 0
        if row < a.shape[0] and start + x < a.shape[1]:
            tile_a[y, x] = a[row, start + x]
        if start + y < b.shape[0] and column < b.shape[1]:
            tile_b[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def tiled_at_launch(a, b, c):
    width = cuda.blockDim.x
    memory = cuda.shared.array(0, np.float32)
    tile_a = memory[: width * width]
    tile_b = memory[width * width : 2 * width * width]
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    here = y * width + x

    total = np.float32(0)
    for start in range(0, a.shape[1], width):
        tile_a[here] = 0
        tile_b[here] = 0
        if row < a.shape[0] and start + x < a.shape[1]:
            tile_a[here] = a[row, start + x]
        if start + y < b.shape[0] and column < b.shape[1]:
            tile_b[here] = b[start + y, column]
        cuda.syncthreads()
        for k in range(width):
            total += tile_a[y * width + k] * tile_b[k * width + x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def run(n, way="tiled"):
    """Multiplies two n x n float32 matrices. Returns the product of the kernel and of NumPy.

    way: "naive", "tiled" or "tiled at launch".
    """
    rng = np.random.default_rng(5)
    a = rng.random((n, n), dtype=np.float32)
    b = rng.random((n, n), dtype=np.float32)
    c = np.zeros((n, n), np.float32)

    blocks = (n + TILE - 1) // TILE
    if way == "naive":
        naive[(blocks, blocks), (TILE, TILE)](a, b, c)
    elif way == "tiled":
        tiled[(blocks, blocks), (TILE, TILE)](a, b, c)
    else:
        shared_bytes = 2 * TILE * TILE * a.itemsize
        tiled_at_launch[(blocks, blocks), (TILE, TILE), 0, shared_bytes](a, b, c)
    return c, a @ b


def main(n=300):
    for way in ("naive", "tiled", "tiled at launch"):
        c, expected = run(n, way)
        np.testing.assert_allclose(c, expected, rtol=1e-4)
        print(f"{way:>15}: {n} x {n} product, largest difference {abs(c - expected).max():.1e}")


if __name__ == "__main__":
    main()
