"""The rows that cpu.py times: one per kernel, with the data that all contenders share."""

import ctypes
import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import cpu_kernels as kernels
from cpu_peers import get_pointer
from cpu_timing import is_chosen
from heddle import float32

TILE = kernels.TILE


class Row(NamedTuple):
    name: str
    kernel: Callable  # a Python function, not compiled yet
    launch: tuple  # (blocks, threads)
    arguments: tuple
    peer: Callable  # the same work in C++


def select_rows(words, peers):
    """The rows whose names contain one of the words; all rows if there are no words."""
    for row in itertools.chain(make_tutorial_rows(peers), make_suite_rows(peers)):
        if is_chosen(row.name, words):
            yield row


def make_tutorial_rows(peers):
    """The rows with kernels from tutorials. peers: the library of cpu_peers.cpp."""
    rng = np.random.default_rng(0)
    n = 1 << 24
    x, y, z = (rng.random(n, dtype=np.float32) for _ in range(3))
    size = ctypes.c_int64(n)
    yield Row(
        "vector add, 2^24",
        kernels.vector_add,
        (n // 256, 256),
        (x, y, z),
        lambda: peers.vector_add(size, get_pointer(x), get_pointer(y), get_pointer(z)),
    )
    two = float32(2)

    def peer_saxpy():
        peers.saxpy(size, ctypes.c_float(2), get_pointer(x), get_pointer(y))

    yield Row("saxpy, 2^24", kernels.saxpy, (n // 256, 256), (n, two, x, y), peer_saxpy)
    yield Row(
        "saxpy by grid stride, 256 x 256",
        kernels.saxpy_by_grid_stride,
        (256, 256),
        (n, two, x, y),
        peer_saxpy,
    )
    m = 1024
    a, b, c = (rng.random((m, m), dtype=np.float32) for _ in range(3))
    extent, block = ctypes.c_int64(m), ((m // TILE,) * 2, (TILE, TILE))
    matrices = [get_pointer(v) for v in (a, b, c)]

    def peer_matmul():
        peers.matmul(extent, *matrices)

    yield Row("naive matmul 1024", kernels.naive_matmul, block, (a, b, c), peer_matmul)
    yield Row(
        "naive matmul 1024, x the row",
        kernels.naive_matmul_x_as_row,
        block,
        (a, b, c),
        peer_matmul,
    )
    yield Row(
        "tiled matmul 1024",
        kernels.tiled_matmul,
        block,
        (a, b, c),
        lambda: peers.tiled_matmul(extent, *matrices),
    )
    image = np.zeros((m, m), np.int32)
    yield Row(
        "Mandelbrot 1024, 200",
        kernels.mandelbrot,
        block,
        (m, m, 200, image),
        lambda: peers.mandelbrot(extent, extent, 200, get_pointer(image)),
    )
    sums = np.zeros(n // 256, np.float32)
    yield Row(
        "block reduction, 2^24",
        kernels.block_sums,
        (n // 256, 256),
        (x, sums),
        lambda: peers.block_sums(size, get_pointer(x), get_pointer(sums)),
    )
    bytes_, bins = rng.integers(0, 256, 1 << 25).astype(np.uint8), np.zeros(256, np.int32)
    yield Row(
        "histogram, 2^25",
        kernels.histogram,
        (256, 256),
        (bytes_, bins),
        lambda: peers.histogram(
            ctypes.c_int64(bytes_.size), get_pointer(bytes_), get_pointer(bins)
        ),
    )


def make_suite_rows(peers):
    """The rows with kernels like those of published benchmark suites."""
    rng = np.random.default_rng(1)
    n = 1 << 22
    x, y, z = (rng.random(n, dtype=np.float32) for _ in range(3))
    sums, size = np.zeros(n // 256, np.float32), ctypes.c_int64(n)

    def peer(name, *arguments):
        values = [get_pointer(v) if isinstance(v, np.ndarray) else v for v in arguments]
        return lambda: getattr(peers, name)(*values)

    blocks = (n // 256, 256)
    yield Row(
        "block reduction by shuffles, 2^22",
        kernels.warp_sums,
        blocks,
        (x, sums),
        peer("block_sums", size, x, sums),
    )
    m = 2048
    a, b = rng.random((m, m), dtype=np.float32), np.zeros((m, m), np.float32)
    extent = ctypes.c_int64(m)
    yield Row(
        "transpose 2048",
        kernels.transpose,
        ((m // 32,) * 2, (32, 8)),
        (a, b),
        peer("transpose", extent, a, b),
    )
    yield Row(
        "heat 2048",
        kernels.heat_step,
        ((m // 16,) * 2, (16, 16)),
        (a, b),
        peer("heat_step", extent, a, b),
    )
    scanned = np.zeros(n, np.float32)
    yield Row(
        "scan of 512, 2^22",
        kernels.scan_of_blocks,
        (n // 512, 256),
        (x, scanned),
        peer("scan_of_blocks", size, x, scanned),
    )
    yield Row(
        "scan of 512 by shuffles, 2^22",
        kernels.scan_by_shuffles,
        (n // 512, 512),
        (x, scanned),
        peer("scan_of_blocks", size, x, scanned),
    )
    keys = x.copy()
    yield Row(
        "bitonic sort of 1024, 2^20",
        kernels.bitonic_sort_of_blocks,
        (1024, 1024),
        (keys[: 1 << 20],),
        peer("sort_of_blocks", ctypes.c_int64(1 << 20), z),
    )
    bodies = [v[:4096] for v in (x, y, z)]
    forces = [np.zeros(4096, np.float32) for _ in range(3)]
    every = [*bodies, bodies[0], *forces]
    yield Row(
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
    yield Row(
        "sparse product, 2^18 rows",
        kernels.sparse_product,
        (height // 256, 256),
        csr,
        peer("sparse_product", ctypes.c_int64(height), *csr),
    )
    graph = rng.random((1024, 1024), dtype=np.float32)
    yield Row(
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
    yield Row(
        "Black-Scholes, 2^22",
        kernels.black_scholes,
        blocks,
        (*options, *prices),
        peer("black_scholes", size, *options, *prices),
    )
    small = rng.random((8192, TILE, TILE), dtype=np.float32) + np.eye(TILE, dtype=np.float32) * 9
    yield Row(
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
    yield Row(
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
    yield Row(
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
