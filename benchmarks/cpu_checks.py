"""The rows of cpu.py with and without `heddle check`: alternating runs in one process.

Times are the process's CPU time on all cores, which other programs on the machine affect less than elapsed time.
"""

import statistics
import time

import heddle
from cpu_rows import select_rows
from cpu_timing import Table, measure_medians_in_turns
from heddle import cuda

COLUMNS = ["unchecked", "checked", "ratio"]
MILLISECONDS = 400  # how long to repeat a short kernel
FEWEST_RUNS, MOST_RUNS = 3, 101


def milliseconds(call):
    """The CPU time of a call, including the work it enqueues."""
    start = time.process_time()
    call()
    cuda.synchronize()
    return 1e3 * (time.process_time() - start)


def measure(row):
    """The milliseconds of a launch without and with checks, and the number of errors found."""
    kernel = cuda.jit(row.kernel)

    def launch():
        kernel[row.launch](*row.arguments)

    def launch_checked():
        with heddle.check(print=False) as result:
            launch()
        return result

    launch()
    errors = launch_checked().errors
    runs = [lambda: milliseconds(launch), lambda: milliseconds(launch_checked)]
    count = int(MILLISECONDS / max(1e-3, runs[1]()))
    unchecked, checked = measure_medians_in_turns(runs, max(FEWEST_RUNS, min(count, MOST_RUNS)))
    return unchecked, checked, len(errors)


def compare(words, markdown):
    """Prints a line per row, then the geometric mean and the maximum of the ratios."""
    table = Table(COLUMNS, markdown)
    ratios = []
    with cuda.current_context("cpu"):
        for row in select_rows(words, None):
            unchecked, checked, errors = measure(row)
            ratios.append(checked / unchecked)
            name = row.name + (f" (errors: {errors})" if errors else "")
            table.print_row(name, (unchecked, checked, ratios[-1]))
    table.print_row("geometric mean", (None, None, statistics.geometric_mean(ratios)))
    table.print_row("worst", (None, None, max(ratios)))
