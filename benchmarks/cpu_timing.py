"""Times alternating calls and prints a table of the times as text or Markdown."""

import statistics
import time

from heddle import cuda

RUNS = 7


def is_chosen(name, words):
    """True if a row's name contains one of the words; True if there are no words."""
    return not words or any(word in name for word in words)


def measure_milliseconds(call):
    start = time.perf_counter()
    call()
    cuda.synchronize()
    return 1e3 * (time.perf_counter() - start)


def measure_medians_in_turns(measures, runs=RUNS):
    """The median of ``runs`` results of each function; the functions take turns. None for a function that is None."""
    found = [[measure and measure() for measure in measures] for _ in range(runs)]
    return [None if None in column else statistics.median(column) for column in zip(*found)]


def divide_or_none(ours, theirs):
    return ours / theirs if ours is not None and theirs else None


def format_value(value, unit):
    if value is None:
        return "-"
    return (f"{value:,.2f}" if value >= 0.1 else f"{value:.2g}") + unit


class Table:
    """Prints each row as soon as it is complete; columns whose heading starts with "ratio" have no unit."""

    def __init__(self, headings, markdown):
        self.headings, self.markdown = headings, markdown
        self.print_cells("kernel", headings)
        if markdown:
            print("|---" * (len(headings) + 1) + "|")

    def print_row(self, name, values):
        units = ["" if heading.startswith("ratio") else " ms" for heading in self.headings]
        self.print_cells(name, map(format_value, values, units))

    def print_cells(self, first, others):
        if self.markdown:
            print("|", " | ".join([first, *others]), "|", flush=True)
        else:
            widths = (max(12, 2 + len(heading)) for heading in self.headings)
            print(f"{first:34}" + "".join(map(str.rjust, others, widths)), flush=True)
