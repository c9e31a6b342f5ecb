"""The rows of cpu.py on one core and on all: two processes, each kept to its cores, that take turns."""

import ctypes
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from cpu_rows import rows_with
from cpu_timing import Table, medians_in_turns, milliseconds, ratio
from heddle import cuda


class Worker:
    """Runs one row after the other. Threads that this process starts stay on its cores and are as many."""

    def __init__(self, cores, words, library):
        os.sched_setaffinity(0, cores)
        cuda.select_device("cpu")
        self.rows = rows_with(words, ctypes.CDLL(library))
        self.calls = []

    def next_row(self):
        """Its name, or None after the last. The calls have run once, to compile and to touch memory."""
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


worker = None  # this process's


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
