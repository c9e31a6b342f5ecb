"""Runs and times the pairs of programs in docs/performance.md on the current device, and prints the table of the page.

    performance_guide.py [--quick] [--runs N] [--page FILE] [WORD...]

Each pair computes the same result before and after a change; the script checks that they agree. A time is the median of
N runs (11), in which the two take turns. WORD: only the pairs whose name contains one of the words. --quick: small
sizes and one run, for tests. --page: also writes the table into the page, in place of that of the same kind of device.
"""

import argparse
import functools
import math
import platform
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cpu_timing import measure_medians_in_turns
from heddle import cuda, float32


@dataclass
class Pair:
    """Two programs with the same result. prepare(n): returns two functions that start the work, and two arrays that
    hold their results. n, quick_n: the sizes, by kind of device and in a quick run. tolerance: the largest difference
    of the results, relative to the largest value."""

    name: str
    prepare: Callable
    n: dict
    quick_n: int
    tolerance: float = 0


PAIRS = []


def pair(name, cpu, cuda, quick, tolerance=0):
    """Decorates the function that prepares a pair."""

    def add(prepare):
        PAIRS.append(Pair(name, prepare, {"cpu": cpu, "cuda": cuda}, quick, tolerance))
        return prepare

    return add


def make_values(n, dtype=np.float32, seed=7):
    return np.random.default_rng(seed).random(n, dtype=np.float32).astype(dtype)


def count_blocks(items, threads):
    return -(-items // threads)


def prepare_elementwise(first, second, x):
    """Launches of two kernels k(x, out) with one thread per element."""
    before, after = (cuda.device_array(x.size, np.float32) for _ in range(2))
    shape = count_blocks(x.size, 256), 256
    return lambda: first[shape](x, before), lambda: second[shape](x, after), before, after


# Coalesced accesses


@cuda.jit
def scale_parts(x, factor):
    count = (x.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    first = cuda.grid(1) * count
    for i in range(first, min(first + count, x.size)):
        x[i] *= factor


@cuda.jit
def scale_neighbors(x, factor):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] *= factor


@pair("coalesced accesses", cpu=1 << 22, cuda=1 << 26, quick=1 << 12)
def prepare_coalescing(n):
    before, after = (cuda.to_device(make_values(n)) for _ in range(2))
    factor = np.float32(0.999)
    blocks = min(1024, count_blocks(n, 1024))
    return (
        lambda: scale_parts[blocks, 256](before, factor),
        lambda: scale_neighbors[blocks, 256](after, factor),
        before,
        after,
    )


# One thread per element


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@pair("block size", cpu=1 << 22, cuda=1 << 24, quick=1 << 10)
def prepare_block_size(n):
    x, y = cuda.to_device(make_values(n)), cuda.to_device(make_values(n, seed=8))
    before, after = cuda.device_array(n, np.float32), cuda.device_array(n, np.float32)
    return (
        lambda: add[n, 1](x, y, before),
        lambda: add[count_blocks(n, 256), 256](x, y, after),
        before,
        after,
    )


# Tiles in shared memory

TILE = 16


@cuda.jit
def multiply(a, b, c):
    j, i = cuda.grid(2)
    total = float32(0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@cuda.jit
def multiply_tiles(a, b, c):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for first in range(0, a.shape[1], TILE):
        a_tile[ty, tx] = a[i, first + tx]
        b_tile[ty, tx] = b[first + ty, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[ty, k] * b_tile[k, tx]
        cuda.syncthreads()
    c[i, j] = total


@pair("tiles in shared memory", cpu=768, cuda=4096, quick=64, tolerance=1e-4)
def prepare_tiles(n):
    a, b = (cuda.to_device(make_values(n * n, seed=s).reshape(n, n)) for s in (1, 2))
    before, after = (cuda.device_array((n, n), np.float32) for _ in range(2))
    grid, block = (n // TILE, n // TILE), (TILE, TILE)
    return (
        lambda: multiply[grid, block](a, b, before),
        lambda: multiply_tiles[grid, block](a, b, after),
        before,
        after,
    )


# Bank conflicts


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((32, 32), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for row in range(ty, 32, 8):
        tile[row, tx] = a[top + row, left + tx]
    cuda.syncthreads()
    for row in range(ty, 32, 8):
        out[left + row, top + tx] = tile[tx, row]


@cuda.jit
def transpose_padded(a, out):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for row in range(ty, 32, 8):
        tile[row, tx] = a[top + row, left + tx]
    cuda.syncthreads()
    for row in range(ty, 32, 8):
        out[left + row, top + tx] = tile[tx, row]


@pair("padding against bank conflicts", cpu=2048, cuda=8192, quick=64)
def prepare_padding(n):
    a = cuda.to_device(make_values(n * n).reshape(n, n))
    before, after = (cuda.device_array((n, n), np.float32) for _ in range(2))
    grid = n // 32, n // 32
    return (
        lambda: transpose[grid, (32, 8)](a, before),
        lambda: transpose_padded[grid, (32, 8)](a, after),
        before,
        after,
    )


# Divergence


@cuda.jit(device=True)
def follow_orbit(x):
    for _ in range(200):
        x = x * x - float32(1.3)
    return x


@cuda.jit(device=True)
def sum_series(x):
    total = float32(0)
    for k in range(200):
        total = total * x + float32(k)
    return total


@cuda.jit
def evaluate_alternating(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if i % 2 == 0:
            out[i] = follow_orbit(x[i])
        else:
            out[i] = sum_series(x[i])


@cuda.jit
def evaluate_by_halves(x, out):
    thread = cuda.threadIdx.x
    half = cuda.blockDim.x // 2
    first = cuda.blockIdx.x * cuda.blockDim.x
    i = first + 2 * (thread % half) + thread // half
    if i < x.size:
        if thread < half:
            out[i] = follow_orbit(x[i])
        else:
            out[i] = sum_series(x[i])


@pair("uniform branches", cpu=1 << 18, cuda=1 << 24, quick=1 << 10, tolerance=1e-5)
def prepare_divergence(n):
    x = cuda.to_device(make_values(n) * np.float32(0.9))
    return prepare_elementwise(evaluate_alternating, evaluate_by_halves, x)


# float32


@cuda.jit
def gauss_in_float64(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 0.3989 * math.exp(-0.5 * x[i] * x[i])


@cuda.jit
def gauss_in_float32(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = float32(0.3989) * math.exp(float32(-0.5) * x[i] * x[i])


@pair("float32 constants", cpu=1 << 22, cuda=1 << 26, quick=1 << 10, tolerance=1e-5)
def prepare_float32(n):
    x = cuda.to_device(make_values(n))
    return prepare_elementwise(gauss_in_float64, gauss_in_float32, x)


# fastmath


def sum_waves(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = float32(0)
        for k in range(1, 9):
            t = float32(k) * x[i]
            total += math.sin(t) / (float32(1) + math.exp(-t))
        out[i] = total


sum_waves_exactly = cuda.jit(sum_waves)
sum_waves_fast = cuda.jit(fastmath=True)(sum_waves)


@pair("fast arithmetic", cpu=1 << 20, cuda=1 << 24, quick=1 << 10, tolerance=1e-4)
def prepare_fastmath(n):
    x = cuda.to_device(make_values(n))
    return prepare_elementwise(sum_waves_exactly, sum_waves_fast, x)


# Transfers


@cuda.jit
def smooth(x, out):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / float32(3)


def smooth_host_arrays(x, y):
    for _ in range(10):
        smooth[count_blocks(x.size, 256), 256](x, y)
        x, y = y, x
    return x


def smooth_on_device(x, y):
    x, y = cuda.to_device(x), cuda.to_device(y)
    for _ in range(10):
        smooth[count_blocks(x.size, 256), 256](x, y)
        x, y = y, x
    return x.copy_to_host()


@pair("data that stays on the device", cpu=1 << 20, cuda=1 << 24, quick=1 << 10)
def prepare_transfers(n):
    start = make_values(n)
    before, after = np.empty_like(start), np.empty_like(start)

    def run(smooth_ten_times, result):
        result[:] = smooth_ten_times(start.copy(), start.copy())

    return (
        lambda: run(smooth_host_arrays, before),
        lambda: run(smooth_on_device, after),
        before,
        after,
    )


# One kernel instead of three


@cuda.jit
def subtract_mean(x, mean, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] - mean


@cuda.jit
def square(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * x[i]


@cuda.jit
def clip(x, limit, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i], limit)


@cuda.jit
def clip_squared_distance(x, mean, limit, out):
    i = cuda.grid(1)
    if i < x.size:
        distance = x[i] - mean
        out[i] = min(distance * distance, limit)


@pair("one kernel instead of three", cpu=1 << 22, cuda=1 << 26, quick=1 << 10, tolerance=1e-6)
def prepare_fusion(n):
    x, buffer = cuda.to_device(make_values(n)), cuda.device_array(n, np.float32)
    before, after = cuda.device_array(n, np.float32), cuda.device_array(n, np.float32)
    mean, limit = np.float32(0.5), np.float32(0.1)
    shape = count_blocks(n, 256), 256

    def launch_three():
        subtract_mean[shape](x, mean, buffer)
        square[shape](buffer, buffer)
        clip[shape](buffer, limit, before)

    return launch_three, lambda: clip_squared_distance[shape](x, mean, limit, after), before, after


# Graphs


@cuda.jit
def advance(x, step):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += step


def advance_often(x):
    for number in range(100):
        advance[4, 256](x, float32(number))


@pair("a graph for many launches", cpu=1 << 10, cuda=1 << 10, quick=1 << 6)
def prepare_graph(n):
    before, after = cuda.to_device(np.zeros(n, "f")), cuda.to_device(np.zeros(n, "f"))
    with cuda.graph() as graph:
        advance_often(after)
    return lambda: advance_often(before), graph.launch, before, after


# Grid-stride loops


@cuda.jit
def apply_table(table, x, out):
    cached = cuda.shared.array(1024, float32)
    for k in range(cuda.threadIdx.x, 1024, cuda.blockDim.x):
        cached[k] = table[k]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        out[i] = cached[x[i]]


@cuda.jit
def apply_table_in_strides(table, x, out):
    cached = cuda.shared.array(1024, float32)
    for k in range(cuda.threadIdx.x, 1024, cuda.blockDim.x):
        cached[k] = table[k]
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = cached[x[i]]


@pair("a grid-stride loop", cpu=1 << 22, cuda=1 << 26, quick=1 << 12)
def prepare_grid_stride(n):
    table = cuda.to_device(make_values(1024))
    x = cuda.to_device((make_values(n, seed=3) * 1023).astype(np.int16))
    before, after = cuda.device_array(n, np.float32), cuda.device_array(n, np.float32)
    return (
        lambda: apply_table[count_blocks(n, 256), 256](table, x, before),
        lambda: apply_table_in_strides[min(1024, count_blocks(n, 256)), 256](table, x, after),
        before,
        after,
    )


# Atomic operations

BINS = 256


@cuda.jit
def count_in_global_memory(x, counts):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def count_in_shared_memory(x, counts):
    of_block = cuda.shared.array(BINS, np.int32)
    for k in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        of_block[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(of_block, x[i], 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(counts, k, of_block[k])


@pair("counters in shared memory", cpu=1 << 22, cuda=1 << 26, quick=1 << 12)
def prepare_atomics(n):
    x = cuda.to_device((make_values(n) ** 2 * (BINS - 1)).astype(np.uint8))
    before, after = (cuda.to_device(np.zeros(BINS, np.int32)) for _ in range(2))
    blocks = min(1024, count_blocks(n, 256))
    return (
        lambda: count_in_global_memory[blocks, 256](x, before),
        lambda: count_in_shared_memory[blocks, 256](x, after),
        before,
        after,
    )


# Occupancy


@cuda.jit
def reverse_rows(a, out):
    row = cuda.shared.array(12000, float32)  # enough for the longest row
    block, n = cuda.blockIdx.x, a.shape[1]
    for k in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        row[k] = a[block, k]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        out[block, k] = row[n - 1 - k]


@cuda.jit
def reverse_rows_in_less_memory(a, out):
    row = cuda.shared.array(0, float32)  # the launch gives its size
    block, n = cuda.blockIdx.x, a.shape[1]
    for k in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        row[k] = a[block, k]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        out[block, k] = row[n - 1 - k]


@pair("less shared memory per block", cpu=1 << 14, cuda=1 << 19, quick=1 << 6)
def prepare_occupancy(n):
    a = cuda.to_device(make_values(n * 128).reshape(n, 128))
    before, after = (cuda.device_array((n, 128), np.float32) for _ in range(2))
    return (
        lambda: reverse_rows[n, 64](a, before),
        lambda: reverse_rows_in_less_memory[n, 64, 0, 128 * 4](a, after),
        before,
        after,
    )


# Measurements

SHORTEST_SECONDS = 0.004


def count_repetitions(start):
    """The number of calls that take long enough to be timed together."""
    calls = 1
    while True:
        begin = time.perf_counter()
        for _ in range(calls):
            start()
        cuda.synchronize()
        if time.perf_counter() - begin >= SHORTEST_SECONDS or calls >= 1000:
            return calls
        calls *= 2


def measure_milliseconds(start, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        start()
    cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin) / calls


def copy_to_host(array):
    return array if isinstance(array, np.ndarray) else array.copy_to_host()


def measure_pair(measured, runs, quick):
    """Times before and after in milliseconds. Raises AssertionError if the results differ."""
    device = cuda.get_current_device().type
    before, after, *results = measured.prepare(measured.quick_n if quick else measured.n[device])
    before()
    after()
    cuda.synchronize()
    first, second = map(copy_to_host, results)
    largest = np.abs(first).max()
    limit = measured.tolerance * largest
    np.testing.assert_allclose(first, second, rtol=0, atol=limit, err_msg=measured.name)
    if largest == 0:
        raise AssertionError(f"{measured.name}: the result is empty")
    if quick:
        return measure_milliseconds(before, 1), measure_milliseconds(after, 1)
    timed = [(start, count_repetitions(start)) for start in (before, after)]
    measures = [functools.partial(measure_milliseconds, start, calls) for start, calls in timed]
    return measure_medians_in_turns(measures, runs)


def describe_machine():
    device = cuda.get_current_device()
    if device.type != "cpu":
        name = device.name
        return f"an {name.decode() if isinstance(name, bytes) else name}"
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    name = names[0] if names else platform.processor()
    return f"the CPU device, {len(names)} cores of an {name}"


def format_milliseconds(value):
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def measure_table(pairs, runs, quick):
    """Yields the lines of the table, each as soon as it is measured."""
    yield f"Medians of {1 if quick else runs} runs on {describe_machine()}:"
    yield ""
    yield "| change | before | after | speedup |"
    yield "| --- | --- | --- | --- |"
    for measured in pairs:
        before, after = measure_pair(measured, runs, quick)
        shown = (
            f"{format_milliseconds(before)} | {format_milliseconds(after)} | {before / after:.2g}x"
        )
        yield f"| {measured.name} | {shown} |"


def write_table(page, lines):
    """Replaces the page's table of this kind of device."""
    begin, end = f"<!-- times: {cuda.get_current_device().type} -->", "<!-- end -->"
    table = "\n".join([begin, "", *lines, "", end])
    text = page.read_text()
    written, count = re.subn(f"{begin}.*?{end}", lambda _: table, text, count=1, flags=re.DOTALL)
    if not count:
        raise ValueError(f"{page} has no line {begin}")
    page.write_text(written)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes and one run")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    chosen = [p for p in PAIRS if not given.words or any(word in p.name for word in given.words)]
    lines = []
    for line in measure_table(chosen, given.runs, given.quick):
        print(line, flush=True)
        lines.append(line)
    if given.page:
        write_table(given.page, lines)


if __name__ == "__main__":
    main()
