"""Kernels on the CPU device beside loops written by hand in C++ with OpenMP: medians of runs that take turns.

Run by ``python benchmarks/cpu.py`` in the project's environment; needs clang++-22 with libomp, or g++. Each row is the
time of the first call, with one block, the kernel's time, the time of the same work in C++ (cpu_peers.cpp), their
ratio, and the kernel with one thread at a time (width=1).
"""

import ctypes
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from heddle import cuda, float32, int32

HERE = Path(__file__).parent
RUNS = 7
TILE = 16


def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


def saxpy_by_grid_stride(n, a, x, y):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


def naive_matmul(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


def naive_matmul_x_as_row(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[0] and y < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[x, k] * b[k, y]
        c[x, y] = total


def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for step in range(cuda.gridDim.x):
        tile_a[ty, tx] = a[y, tx + step * TILE]
        tile_b[ty, tx] = b[ty + step * TILE, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def mandelbrot(w, h, most, out):
    x, y = cuda.grid(2)
    if x < w and y < h:
        cr = float32(-2.0) + float32(3.0) * float32(x) / float32(w)
        ci = float32(-1.5) + float32(3.0) * float32(y) / float32(h)
        zr = zi = float32(0)
        n = 0
        while n < most and zr * zr + zi * zi < float32(4):
            zr, zi = zr * zr - zi * zi + cr, float32(2) * zr * zi + ci
            n += 1
        out[y, x] = n


def block_sums(x, out):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def histogram(x, bins):
    own = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, own[t])


def compiled_peers(folder):
    """The functions of cpu_peers.cpp, compiled for this processor, and the compiler's name."""
    library, source = Path(folder) / "peers.so", HERE / "cpu_peers.cpp"
    options = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", source, "-o", library]
    for compiler in ("clang++-22", "g++"):
        if shutil.which(compiler):
            done = subprocess.run([compiler, *options], capture_output=True, text=True)
            if done.returncode == 0:
                return ctypes.CDLL(library), compiler
    sys.exit("no C++ compiler with OpenMP: install clang-22 and libomp-22-dev")


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def rows(peers):
    """For each row its name, kernel, launch, arguments, and the peer's call."""
    rng = np.random.default_rng(0)
    n = 1 << 24
    x, y, z = (rng.random(n, dtype=np.float32) for _ in range(3))
    size = ctypes.c_int64(n)
    yield (
        "vector add, 2^24",
        vector_add,
        (n // 256, 256),
        (x, y, z),
        lambda: peers.vector_add(size, pointer(x), pointer(y), pointer(z)),
    )
    two = float32(2)

    def peer_saxpy():
        peers.saxpy(size, ctypes.c_float(2), pointer(x), pointer(y))

    yield "saxpy, 2^24", saxpy, (n // 256, 256), (n, two, x, y), peer_saxpy
    yield (
        "saxpy by grid stride, 256 x 256",
        saxpy_by_grid_stride,
        (256, 256),
        (n, two, x, y),
        peer_saxpy,
    )
    m = 1024
    a, b, c = (rng.random((m, m), dtype=np.float32) for _ in range(3))
    extent, block = ctypes.c_int64(m), ((m // TILE,) * 2, (TILE, TILE))
    matrices = [pointer(v) for v in (a, b, c)]

    def peer_matmul():
        peers.matmul(extent, *matrices)

    yield "naive matmul 1024", naive_matmul, block, (a, b, c), peer_matmul
    yield "naive matmul 1024, x the row", naive_matmul_x_as_row, block, (a, b, c), peer_matmul
    yield (
        "tiled matmul 1024",
        tiled_matmul,
        block,
        (a, b, c),
        lambda: peers.tiled_matmul(extent, *matrices),
    )
    image = np.zeros((m, m), np.int32)
    yield (
        "Mandelbrot 1024, 200",
        mandelbrot,
        block,
        (m, m, 200, image),
        lambda: peers.mandelbrot(extent, extent, 200, pointer(image)),
    )
    sums = np.zeros(n // 256, np.float32)
    yield (
        "block reduction, 2^24",
        block_sums,
        (n // 256, 256),
        (x, sums),
        lambda: peers.block_sums(size, pointer(x), pointer(sums)),
    )
    bytes_, bins = rng.integers(0, 256, 1 << 25).astype(np.uint8), np.zeros(256, np.int32)
    yield (
        "histogram, 2^25",
        histogram,
        (256, 256),
        (bytes_, bins),
        lambda: peers.histogram(ctypes.c_int64(bytes_.size), pointer(bytes_), pointer(bins)),
    )


def milliseconds(call):
    start = time.perf_counter()
    call()
    cuda.synchronize()
    return 1e3 * (time.perf_counter() - start)


def main():
    # OpenMP's threads spin for 200 ms after their work: the kernel that is timed next would share the cores with them.
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    print(f"{'':34}{'first call':>11}{'kernel':>9}{'C++':>9}{'ratio':>8}{'width 1':>10}   ms")
    with tempfile.TemporaryDirectory() as folder:
        peers, compiler = compiled_peers(folder)
        for name, function, launch, arguments, peer in rows(peers):
            kernel, single = cuda.jit(function), cuda.jit(width=1)(function)
            one_block = (1, launch[1])
            first = milliseconds(lambda: kernel[one_block](*arguments))
            calls = (lambda: kernel[launch](*arguments)), peer, (lambda: single[launch](*arguments))
            for call in calls:
                call()
            times = [[milliseconds(call) for call in calls] for _ in range(RUNS)]
            ours, theirs, one = (statistics.median(column) for column in zip(*times, strict=True))
            ratio = ours / theirs if theirs else math.inf
            print(f"{name:34}{first:11.1f}{ours:9.2f}{theirs:9.2f}{ratio:8.2f}{one:10.2f}")
    print(f"C++ by {compiler} -O3 -march=native -fopenmp; medians of {RUNS} runs")


if __name__ == "__main__":
    with cuda.current_context("cpu"):
        main()
