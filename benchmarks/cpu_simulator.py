"""Kernels of cpu.py at sizes that the simulator of numba.cuda can handle, where each thread is a Python thread.

The simulator runs in a separate process: this file as a program with KERNELS_FROM=numba.
"""

import importlib.metadata
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

import numpy_for_numba  # noqa: F401 - before numba, which cpu_kernels may import

# isort: split
import cpu_kernels as kernels
from cpu_timing import Table, divide_or_none, is_chosen
from heddle import cuda

N = 1 << 12
RUNS = 5
SIMULATOR = {"KERNELS_FROM": "numba", "NUMBA_ENABLE_CUDASIM": "1"}


def make_rows():
    """(name, kernel, launch, arguments) of each row."""
    rng = np.random.default_rng(2)
    x, y, z = (rng.random(N, dtype=np.float32) for _ in range(3))
    blocks = (N // 256, 256)
    yield "vector add, 2^12", kernels.vector_add, blocks, (x, y, z)
    yield "saxpy, 2^12", kernels.saxpy, blocks, (N, np.float32(2), x, y)
    yield "block reduction, 2^12", kernels.block_sums, blocks, (x, z)
    yield "scan of 512, 2^12", kernels.scan_of_blocks, (N // 512, 256), (x, z)
    bytes_, bins = rng.integers(0, 256, N).astype(np.uint8), np.zeros(256, np.int32)
    yield "histogram, 2^12", kernels.histogram, (4, 256), (bytes_, bins)
    a, b, c = (rng.random((64, 64), dtype=np.float32) for _ in range(3))
    yield "tiled matmul 64", kernels.tiled_matmul, ((4, 4), (16, 16)), (a, b, c)


def measure_times(words):
    """Milliseconds per row, a dict by name, with the ``cuda`` module that the kernels were loaded with."""
    found = {}
    for name, function, launch, arguments in make_rows():
        if not is_chosen(name, words):
            continue
        kernel, runs = kernels.cuda.jit(function), []
        for _ in range(1 + RUNS):
            start = time.perf_counter()
            kernel[launch](*arguments)
            kernels.cuda.synchronize()
            runs.append(1e3 * (time.perf_counter() - start))
        found[name] = statistics.median(runs[1:])
    return found


def measure_times_in_simulator(words):
    done = subprocess.run(
        [sys.executable, __file__, *words],
        env={**os.environ, **SIMULATOR},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"numba's simulator failed:\n{done.stderr}")
    return json.loads(done.stdout)


def print_comparison(words, markdown):
    if importlib.util.find_spec("numba") is None:
        sys.exit("numba is not installed: pip install numba")
    theirs = measure_times_in_simulator(words)
    with cuda.current_context("cpu"):
        ours = measure_times(words)
    table = Table(["Heddle", "simulator", "ratio simulator/Heddle"], markdown)
    for name in ours:
        table.print_row(name, [ours[name], theirs[name], divide_or_none(theirs[name], ours[name])])
    version = importlib.metadata.version("numba")
    print(f"simulator: numba {version}; medians of {RUNS} runs after a first")


if __name__ == "__main__":
    print(json.dumps(measure_times(sys.argv[1:])))
