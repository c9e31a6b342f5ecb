"""Launches litmus kernels on new memory, and counts outcomes."""

import itertools
import linecache
from collections import Counter

import numpy as np

import heddle
from heddle import cuda
from kernels import generate_source

_numbers = itertools.count()
# Tests of one launch. The CPU device runs short launches on one thread.
_TESTS = {"two blocks": 1 << 18, "two warps": 1 << 15, "one warp": 1 << 15}
# The distance in y of what are neighbours in x; 7919 is a prime, so that each test has a place.
_SCATTERS = (1, 7919)


def make_launcher(source, language):
    """The kernel ``litmus`` of a source, as a function of grid, block and arguments."""
    if language == "c++":
        kernel = heddle.RawKernel(source, "litmus")
        return lambda grid, block, arguments: kernel((grid,), (block,), arguments)
    file = f"<litmus {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {}
    exec(compile(source, file, "exec"), names)
    return lambda grid, block, arguments: names["litmus"][grid, block](*arguments)


def _choose_launch_shape(configuration, device):
    """Blocks, threads of a block, and tests that run at once."""
    roles = len(configuration.shape.threads)
    on_gpu = device.type == "cuda"
    if configuration.place == "two blocks":
        # The CPU device's workers take a block each if there are few.
        parts = 64 if on_gpu else 1
        return parts * roles, 64, parts * 64
    parts = 64 if on_gpu else 4
    if configuration.place == "two warps":
        return parts, 32 * roles * 2, parts * 64
    return parts, 128, parts * 4 * (32 // roles)


def _count_tuples(columns):
    """How often each tuple of values appears. Values are 0, 1 or 2; 3 stands for all others."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        number = 4 * number + np.minimum(column, 3).astype(np.int64)
    counts = np.bincount(number)
    return {
        tuple(int(code) >> 2 * at & 3 for at in reversed(range(len(columns)))): int(counts[code])
        for code in np.flatnonzero(counts)
    }


def count_outcomes(configuration, device, runs, source=None):
    """How often each outcome appeared: a Counter of tuples (registers, then final x, y, z).

    source: a kernel and its language, for the one of the configuration. Runs at least ``runs`` tests.
    """
    shape = configuration.shape
    dtype = np.dtype(configuration.dtype)
    grid, block, at_once = _choose_launch_shape(configuration, device)
    rounds = -(-_TESTS[configuration.place] // at_once)
    n = at_once * rounds
    kernel = make_launcher(*(source or generate_source(configuration)))
    found = Counter()
    with device:
        zeros = np.zeros(n, dtype)
        places = [cuda.to_device(zeros) for _ in range(3)]
        registers = cuda.to_device(np.zeros(max(1, shape.registers) * n, dtype))
        for launch in range(-(-runs // n)):
            scatter = _SCATTERS[launch % len(_SCATTERS)]
            for place in places:
                place.copy_to_device(zeros)
            arguments = (*places, registers, np.int32(n), np.int32(rounds), np.int32(scatter))
            kernel(grid, block, arguments)
            values = registers.copy_to_host().reshape(-1, n)[: shape.registers]
            x, y, z = (place.copy_to_host() for place in places)
            y = y[np.arange(n, dtype=np.int64) * scatter % n]
            found.update(_count_tuples([*values, x, y, z]))
    return found


def count_forbidden(shape, found):
    """How many of the counted outcomes the test forbids."""
    if not found:
        return 0
    columns = np.array(list(found)).T
    names = [f"r{n}" for n in range(shape.registers)] + ["x", "y", "z"]
    values = dict(zip(names, columns, strict=True))
    return int(np.array(list(found.values()))[eval(shape.forbidden, values)].sum())
