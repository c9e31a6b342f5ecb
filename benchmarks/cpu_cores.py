"""The rows of cpu.py on one core and on all cores: two processes that take turns, each restricted to its cores."""

import ctypes
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from cpu_rows import rows_with
from cpu_timing import Table, medians_in_turns, milliseconds, ratio
from heddle import cuda


class Worker:
    """Runs one row after another. Threads started by this process stay on its cores, one per core."""

    def __init__(self, cores, words, library):
        os.sched_setaffinity(0, cores)
        cuda.select_device("cpu")
        self.rows = rows_with(words, ctypes.CDLL(library))
        self.calls = []

    def next_row(self):
        """Prepare the next row; return its name, or None after the last. Its calls have run once, to warm up."""
        row = next(self.rows, None)
        if row is None:
            return None
        kernel = cuda.jit(row.kernel)
        self.calls = [lambda: kernel[row.launch](*row.arguments), row.peer]
        for call in self.calls:
            milliseconds(call)
        return row.name

    def run(self, which):
        return milliseconds(self.calls[which])


worker = None  # the one of this process


def start_worker(*arguments):
    global worker
    worker = Worker(*arguments)


def next_row():
    return worker.next_row()


def run(which):
    return worker.run(which)


def process_on(cores, words, library):
    return ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=start_worker,
        initargs=(cores, words, str(library)),
    )


def compare(words, markdown, library):
    cores = sorted(os.sched_getaffinity(0))
    table = Table(["one core", f"{len(cores)} cores", "ratio", "ratio of C++"], markdown)
    with (
        process_on(cores[:1], words, library) as one,
        process_on(cores, words, library) as every,
    ):
        while name := one.submit(next_row).result():
            every.submit(next_row).result()
            turns = [
                lambda process=process, which=which: process.submit(run, which).result()
                for which in (0, 1)
                for process in (one, every)
            ]
            slow, fast, cpp_slow, cpp_fast = medians_in_turns(turns)
            table.row(name, [slow, fast, ratio(slow, fast), ratio(cpp_slow, cpp_fast)])
