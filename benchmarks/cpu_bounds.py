"""The rows of cpu.py with and without index checks (HEDDLE_BOUNDS=0): alternating runs in one process.

Times are the process's CPU time on all cores, which other programs on the machine affect less than elapsed time.
"""

import contextlib
import os
import statistics
import time

from cpu_rows import rows_with
from cpu_timing import RUNS, Table, medians_in_turns
from heddle import cuda

COLUMNS = ["checked", "unchecked", "ratio", "first call", "unchecked first", "ratio of first calls"]
FIRST_CALLS = 5
MILLISECONDS = 800  # how long to repeat a short kernel
MOST_RUNS = 201


@contextlib.contextmanager
def bounds(checked):
    """Context manager that sets HEDDLE_BOUNDS for kernels created inside it."""
    os.environ["HEDDLE_BOUNDS"] = "1" if checked else "0"
    try:
        yield
    finally:
        del os.environ["HEDDLE_BOUNDS"]


def milliseconds(call):
    """The CPU time of a call, including the work it enqueues."""
    start = time.process_time()
    call()
    cuda.synchronize()
    return 1e3 * (time.process_time() - start)


def compiled(row, checked):
    with bounds(checked):
        return cuda.jit(row.kernel)


def first_call(row, checked):
    """Milliseconds to compile the kernel and run one block."""
    kernel = compiled(row, checked)
    return milliseconds(lambda: kernel[1, row.launch[1]](*row.arguments))


def measure(row):
    """The row's values for COLUMNS."""
    kernels = [compiled(row, checked) for checked in (True, False)]
    for kernel in kernels:
        kernel[row.launch](*row.arguments)
    cuda.synchronize()
    runs = [lambda k=k: milliseconds(lambda: k[row.launch](*row.arguments)) for k in kernels]
    count = int(MILLISECONDS / max(1e-3, runs[0]()))
    checked, unchecked = medians_in_turns(runs, max(RUNS, min(count, MOST_RUNS)))
    firsts = [(first_call(row, True), first_call(row, False)) for _ in range(FIRST_CALLS)]
    first, other = (min(times) for times in zip(*firsts, strict=True))
    return checked, unchecked, checked / unchecked, first, other, first / other


def compare(words, markdown):
    table = Table(COLUMNS, markdown)
    found = []
    with cuda.current_context("cpu"):
        for row in rows_with(words, None):
            found.append(measure(row))
            table.row(row.name, found[-1])
    means = [
        statistics.geometric_mean(column) if "ratio" in heading else None
        for heading, column in zip(COLUMNS, zip(*found, strict=True), strict=True)
    ]
    table.row("geometric mean", means)
