"""The rows of cpu.py on one core and on all cores: two alternating processes, each restricted to its cores."""

import ctypes
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from cpu_rows import select_rows
from cpu_timing import Table, divide_or_none, measure_medians_in_turns, measure_milliseconds
from heddle import cuda


class Worker:
    """Runs one row after another. Threads started by this process stay on its cores, one per core."""

    def __init__(self, cores, words, library):
        os.sched_setaffinity(0, cores)
        cuda.select_device("cpu")
        self.rows = select_rows(words, ctypes.CDLL(library))
        self.calls = []

    def prepare_next_row(self):
        """Prepare the next row; return its name, or None after the last. Its calls have run once, to warm up."""
        row = next(self.rows, None)
        if row is None:
            return None
        kernel = cuda.jit(row.kernel)
        self.calls = [lambda: kernel[row.launch](*row.arguments), row.peer]
        for call in self.calls:
            measure_milliseconds(call)
        return row.name

    def measure_call(self, which):
        return measure_milliseconds(self.calls[which])


worker = None  # the one of this process


def start_worker(*arguments):
    global worker
    worker = Worker(*arguments)


def prepare_next_row():
    return worker.prepare_next_row()


def measure_call(which):
    return worker.measure_call(which)


def start_process_on(cores, words, library):
    return ProcessPoolExecutor(
        1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=start_worker,
        initargs=(cores, words, str(library)),
    )


def print_comparison(words, markdown, library):
    cores = sorted(os.sched_getaffinity(0))
    table = Table(["one core", f"{len(cores)} cores", "ratio", "ratio of C++"], markdown)
    with (
        start_process_on(cores[:1], words, library) as one,
        start_process_on(cores, words, library) as every,
    ):
        while name := one.submit(prepare_next_row).result():
            every.submit(prepare_next_row).result()
            turns = [
                lambda process=process, which=which: process.submit(measure_call, which).result()
                for which in (0, 1)
                for process in (one, every)
            ]
            slow, fast, cpp_slow, cpp_fast = measure_medians_in_turns(turns)
            table.print_row(
                name, [slow, fast, divide_or_none(slow, fast), divide_or_none(cpp_slow, cpp_fast)]
            )
