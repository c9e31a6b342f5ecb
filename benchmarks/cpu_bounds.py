"""The rows of cpu.py with and without index checks (HEDDLE_BOUNDS=0): alternating runs in one process.

Times are the process's CPU time on all cores, which other programs on the machine affect less than elapsed time.
"""

import contextlib
import os
import statistics
import time

from cpu_rows import select_rows
from cpu_timing import RUNS, Table, measure_medians_in_turns
from heddle import cuda

COLUMNS = ["checked", "unchecked", "ratio", "first call", "unchecked first", "ratio of first calls"]
FIRST_CALLS = 5
MILLISECONDS = 800  # how long to repeat a short kernel
MOST_RUNS = 201


@contextlib.contextmanager
def set_bounds_checks(checked):
    """Context manager that sets HEDDLE_BOUNDS for kernels created inside it."""
    os.environ["HEDDLE_BOUNDS"] = "1" if checked else "0"
    try:
        yield
    finally:
        del os.environ["HEDDLE_BOUNDS"]


def measure_cpu_milliseconds(call):
    """The CPU time of a call, including the work it enqueues."""
    start = time.process_time()
    call()
    cuda.synchronize()
    return 1e3 * (time.process_time() - start)


def compile_kernel(row, checked):
    with set_bounds_checks(checked):
        return cuda.jit(row.kernel)


def measure_first_call(row, checked):
    """Milliseconds to compile the kernel and run one block."""
    kernel = compile_kernel(row, checked)
    return measure_cpu_milliseconds(lambda: kernel[1, row.launch[1]](*row.arguments))


def measure_row(row):
    """The row's values for COLUMNS."""
    kernels = [compile_kernel(row, checked) for checked in (True, False)]
    for kernel in kernels:
        kernel[row.launch](*row.arguments)
    cuda.synchronize()
    runs = [
        lambda k=k: measure_cpu_milliseconds(lambda: k[row.launch](*row.arguments)) for k in kernels
    ]
    count = int(MILLISECONDS / max(1e-3, runs[0]()))
    checked, unchecked = measure_medians_in_turns(runs, max(RUNS, min(count, MOST_RUNS)))
    firsts = [
        (measure_first_call(row, True), measure_first_call(row, False)) for _ in range(FIRST_CALLS)
    ]
    first, other = (min(times) for times in zip(*firsts, strict=True))
    return checked, unchecked, checked / unchecked, first, other, first / other


def print_comparison(words, markdown):
    table = Table(COLUMNS, markdown)
    found = []
    with cuda.current_context("cpu"):
        for row in select_rows(words, None):
            found.append(measure_row(row))
            table.print_row(row.name, found[-1])
    means = [
        statistics.geometric_mean(column) if "ratio" in heading else None
        for heading, column in zip(COLUMNS, zip(*found, strict=True), strict=True)
    ]
    table.print_row("geometric mean", means)
