"""The kernels that the benchmarks time, in Python that heddle.cuda and numba.cuda both compile.

With KERNELS_FROM=numba in the environment they are numba.cuda kernels (or run in its simulator); KERNELS_CACHE=1 turns
on the disk cache.
"""

import math
import os

import numpy as np

if os.environ.get("KERNELS_FROM") == "numba":
    from numba import cuda, float32
else:
    from heddle import cuda, float32

TILE = 16
CACHE = os.environ.get("KERNELS_CACHE") == "1"


@cuda.jit(cache=CACHE)
def empty():
    pass


@cuda.jit(cache=CACHE)
def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit(cache=CACHE)
def tiled_matmul(a, b, c):
    """c = a @ b for square float32 matrices whose extent is a multiple of TILE, with (TILE, TILE) blocks."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = float32(0.0)
    for step in range(cuda.gridDim.x):
        tile_a[ty, tx] = a[y, tx + step * TILE]
        tile_b[ty, tx] = b[ty + step * TILE, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit(cache=CACHE)
def sum_in_shared_memory(x, out):
    """out[b] = sum of block b's elements of x, with blocks of 256 threads."""
    part = cuda.shared.array(256, float32)
    i = cuda.threadIdx.x
    part[i] = x[cuda.grid(1)]
    offset = 128
    while offset:
        cuda.syncthreads()
        if i < offset:
            part[i] += part[i + offset]
        offset //= 2
    if i == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit(cache=CACHE)
def sum_by_shuffles(x, out):
    """The same with warp shuffles."""
    part = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    total = x[cuda.grid(1)]
    offset = 16
    while offset:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
        offset //= 2
    if i % 32 == 0:
        part[i // 32] = total
    cuda.syncthreads()
    if i < 8:
        total = part[i]
        offset = 4
        while offset:
            total += cuda.shfl_down_sync(0xFF, total, offset)
            offset //= 2
        if i == 0:
            out[cuda.blockIdx.x] = total


def add_vectors(n):
    """(a call of vector_add on ``n`` float32 elements on the host, a check of its result)"""
    rng = np.random.default_rng(1)
    a, b = rng.random((2, n), np.float32)
    c = np.zeros_like(a)
    blocks = math.ceil(n / 256)

    def call():
        vector_add[blocks, 256](a, b, c)

    def check():
        np.testing.assert_array_equal(c, a + b)

    return call, check


def multiply_matrices(n):
    """(a call of tiled_matmul on ``n`` x ``n`` float32 matrices on the host, a check of its result)"""
    rng = np.random.default_rng(1)
    a, b = rng.random((2, n, n), np.float32)
    c = np.zeros_like(a)
    blocks = n // TILE

    def call():
        tiled_matmul[(blocks, blocks), (TILE, TILE)](a, b, c)

    def check():
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)

    return call, check


def sum_blocks(kernel, n):
    """(a call of one of the two sums on ``n`` float32 elements on the host, a check). n: a multiple of 256."""
    x = np.random.default_rng(1).integers(0, 100, n).astype(np.float32)
    out = np.zeros(n // 256, np.float32)

    def call():
        kernel[n // 256, 256](x, out)

    def check():
        np.testing.assert_array_equal(out, x.reshape(-1, 256).sum(axis=1))

    return call, check


CALLS = {
    "vector_add": lambda: add_vectors(4096),
    "tiled_matmul": lambda: multiply_matrices(64),
    "sum_in_shared_memory": lambda: sum_blocks(sum_in_shared_memory, 1 << 20),
    "sum_by_shuffles": lambda: sum_blocks(sum_by_shuffles, 1 << 20),
}
