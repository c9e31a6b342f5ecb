"""Kernels on the CPU device beside loops written by hand in C++ with OpenMP: medians of runs that take turns.

Run by ``python benchmarks/cpu.py`` in the project's environment, with words to run only rows whose names contain one of
them; needs clang++-22 with libomp, or g++. Each row is the
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

import cpu_kernels as kernels
from heddle import cuda, float32

HERE = Path(__file__).parent
RUNS = 7
TILE = kernels.TILE


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
        kernels.vector_add,
        (n // 256, 256),
        (x, y, z),
        lambda: peers.vector_add(size, pointer(x), pointer(y), pointer(z)),
    )
    two = float32(2)

    def peer_saxpy():
        peers.saxpy(size, ctypes.c_float(2), pointer(x), pointer(y))

    yield "saxpy, 2^24", kernels.saxpy, (n // 256, 256), (n, two, x, y), peer_saxpy
    yield (
        "saxpy by grid stride, 256 x 256",
        kernels.saxpy_by_grid_stride,
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

    yield "naive matmul 1024", kernels.naive_matmul, block, (a, b, c), peer_matmul
    yield (
        "naive matmul 1024, x the row",
        kernels.naive_matmul_x_as_row,
        block,
        (a, b, c),
        peer_matmul,
    )
    yield (
        "tiled matmul 1024",
        kernels.tiled_matmul,
        block,
        (a, b, c),
        lambda: peers.tiled_matmul(extent, *matrices),
    )
    image = np.zeros((m, m), np.int32)
    yield (
        "Mandelbrot 1024, 200",
        kernels.mandelbrot,
        block,
        (m, m, 200, image),
        lambda: peers.mandelbrot(extent, extent, 200, pointer(image)),
    )
    sums = np.zeros(n // 256, np.float32)
    yield (
        "block reduction, 2^24",
        kernels.block_sums,
        (n // 256, 256),
        (x, sums),
        lambda: peers.block_sums(size, pointer(x), pointer(sums)),
    )
    bytes_, bins = rng.integers(0, 256, 1 << 25).astype(np.uint8), np.zeros(256, np.int32)
    yield (
        "histogram, 2^25",
        kernels.histogram,
        (256, 256),
        (bytes_, bins),
        lambda: peers.histogram(ctypes.c_int64(bytes_.size), pointer(bytes_), pointer(bins)),
    )


def rows_of_suites(peers):
    """The same, of kernels like those of published suites."""
    rng = np.random.default_rng(1)
    n = 1 << 22
    x, y, z = (rng.random(n, dtype=np.float32) for _ in range(3))
    sums, size = np.zeros(n // 256, np.float32), ctypes.c_int64(n)

    def peer(name, *arguments):
        values = [pointer(v) if isinstance(v, np.ndarray) else v for v in arguments]
        return lambda: getattr(peers, name)(*values)

    blocks = (n // 256, 256)
    yield (
        "block reduction by shuffles, 2^22",
        kernels.warp_sums,
        blocks,
        (x, sums),
        peer("block_sums", size, x, sums),
    )
    m = 2048
    a, b = rng.random((m, m), dtype=np.float32), np.zeros((m, m), np.float32)
    extent = ctypes.c_int64(m)
    yield (
        "transpose 2048",
        kernels.transpose,
        ((m // 32,) * 2, (32, 8)),
        (a, b),
        peer("transpose", extent, a, b),
    )
    yield (
        "heat 2048",
        kernels.heat_step,
        ((m // 16,) * 2, (16, 16)),
        (a, b),
        peer("heat_step", extent, a, b),
    )
    yield (
        "scan of 512, 2^22",
        kernels.scan_of_blocks,
        (n // 512, 256),
        (x, y),
        peer("scan_of_blocks", size, x, y),
    )
    keys = x.copy()
    yield (
        "bitonic sort of 1024, 2^20",
        kernels.bitonic_sort_of_blocks,
        (1024, 1024),
        (keys[: 1 << 20],),
        peer("sort_of_blocks", ctypes.c_int64(1 << 20), z),
    )
    bodies = [v[:4096] for v in (x, y, z)]
    forces = [np.zeros(4096, np.float32) for _ in range(3)]
    every = [*bodies, bodies[0], *forces]
    yield (
        "n-body 4096",
        kernels.n_body,
        (16, 256),
        tuple(every),
        peer("n_body", ctypes.c_int64(4096), *every),
    )
    height = 1 << 18
    starts = np.concatenate([[0], np.cumsum(rng.integers(8, 24, height))]).astype(np.int32)
    columns = rng.integers(0, height, starts[-1]).astype(np.int32)
    csr = (starts, columns, rng.random(starts[-1], dtype=np.float32), x[:height], y[:height])
    yield (
        "sparse product, 2^18 rows",
        kernels.sparse_product,
        (height // 256, 256),
        csr,
        peer("sparse_product", ctypes.c_int64(height), *csr),
    )
    graph = rng.random((1024, 1024), dtype=np.float32)
    yield (
        "Floyd-Warshall 1024, a step",
        kernels.floyd_warshall_step,
        ((64, 64), (16, 16)),
        (
            graph,
            5,
        ),
        peer("floyd_warshall_step", ctypes.c_int64(1024), graph, ctypes.c_int64(5)),
    )
    options = [v + np.float32(0.5) for v in (x, y, z)]
    prices = [np.zeros(n, np.float32) for _ in range(2)]
    yield (
        "Black-Scholes, 2^22",
        kernels.black_scholes,
        blocks,
        (*options, *prices),
        peer("black_scholes", size, *options, *prices),
    )
    small = rng.random((8192, TILE, TILE), dtype=np.float32) + np.eye(TILE, dtype=np.float32) * 9
    yield (
        "LU of 16 x 16, 8192",
        kernels.lu_of_blocks,
        (8192, (TILE, TILE)),
        (small,),
        peer("lu_of_blocks", ctypes.c_int64(8192), small),
    )
    scores, similar = (
        np.zeros((m + 1, m + 1), np.int32),
        rng.integers(-5, 6, (m, m)).astype(np.int32),
    )
    yield (
        "Needleman-Wunsch 2048, a diagonal",
        kernels.needleman_wunsch_diagonal,
        (128, TILE),
        (
            scores,
            similar,
            127,
            10,
        ),
        peer("needleman_wunsch_diagonal", extent, scores, similar, ctypes.c_int64(127), 10),
    )
    calls = np.zeros(2048, np.float32)
    yield (
        "option lattices, 2048",
        kernels.option_lattices,
        (2048, 256),
        (
            options[0][:2048],
            options[1][:2048],
            calls,
        ),
        peer("option_lattices", ctypes.c_int64(2048), options[0], options[1], calls),
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
        for name, function, launch, arguments, peer in (*rows(peers), *rows_of_suites(peers)):
            if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                continue
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
