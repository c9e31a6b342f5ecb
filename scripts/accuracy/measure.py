"""Measures the errors of math functions.

    python scripts/accuracy/measure.py --devices cpu,cuda --results docs/accuracy.json -o docs/accuracy.md

For float32 functions of one argument it measures all 2^32 inputs, or every --step-th one. For float64 and for two
arguments it measures --samples random inputs and all pairs of corner cases. The exact values come from reference.cpp,
which it compiles with g++. It needs heddle, NumPy and g++.

New rows replace the rows for the same function, type and device in the results file. The file is written as soon as
rows are known, so that an interrupted run loses none. A run ends after --seconds: unfinished float32 functions of one
argument keep their old rows, other functions get rows for fewer inputs.

The same command with --continue measures the rest: functions without a row, and samples that rows lack. It does not
continue the row of a function whose values at the corner cases have changed since: it reports these functions as
failed. To drop a row, delete its line from the results file. The next run with --continue measures it from the start.
"""

import argparse
import os
import queue
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from evaluator import DOUBLES, FLOATS, Evaluator  # noqa: E402
from functions import BINARY, UNARY  # noqa: E402
from measured_function import MeasuredFunction, ValuesChanged  # noqa: E402
from page import format_page  # noqa: E402
from reference import Reference, Result  # noqa: E402
from results import Results, Row  # noqa: E402

from heddle import cuda  # noqa: E402

_samples_of_a_part = 10_000_000


class Part:
    """A set of a function's inputs whose results are added at once. pieces: calls that compare some of them.

    begin, end: the samples among the inputs.
    """

    def __init__(self, function, pieces, begin=0, end=0):
        self.function, self.pieces, self.begin, self.end = function, pieces, begin, end
        self.left = len(pieces)
        self.results = (Result * len(function.results))()
        function.parts.append(self)


def make_strided_part(function, step):
    """All floats, or every step-th one and the corner cases."""
    total = -(-(1 << 32) // step)
    pieces = [
        partial(
            function.compare_strided_floats, first=i * step, step=step, n=min(FLOATS, total - i)
        )
        for i in range(0, total, FLOATS)
    ]
    return Part(function, pieces + ([] if step == 1 else [function.compare_corner_cases]))


def make_sample_parts(function, count):
    """The random inputs that some device lacks. The first part also has the corner cases."""
    parts, edges = [], {*range(0, count, _samples_of_a_part), *function.begins, count}
    for begin, end in pairwise(sorted(edges)):
        if min(function.begins) <= begin < count:
            pieces = [
                partial(function.compare_samples, n=min(DOUBLES, end - i), seed=i)
                for i in range(begin, end, DOUBLES)
            ]
            corner_cases = [] if parts else [function.compare_corner_cases]
            parts.append(Part(function, corner_cases + pieces, begin, end))
    return parts


def plan_parts(reference, labels, results, options):
    """Plans the parts in the order of measurement: all-floats parts, then the parts of the other functions from the
    first samples to the last ones.

    labels: of the devices. results: of earlier runs.
    """
    known = [*UNARY, *BINARY]
    wanted = options.functions.split(",") if options.functions else known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no function {', '.join(unknown)}: there are {', '.join(known)}")
    wanted = [name for name in known if name in wanted]

    def earlier_rows(name, dtype):
        """The rows that the run continues."""
        rows = [results.find(name, dtype.__name__, label) for label in labels]
        return rows if options.go_on else [None] * len(rows)

    parts, sampled = [], []
    for name in filter(UNARY.__contains__, wanted):
        total, rows = (1 << 32) // options.step, earlier_rows(name, np.float32)
        if not all(row and row.inputs >= total for row in rows):
            function = MeasuredFunction(reference, name, np.float32, [None] * len(rows))
            parts.append(make_strided_part(function, options.step))
    for names, dtype in ((UNARY, np.float64), (BINARY, np.float32), (BINARY, np.float64)):
        for name in filter(names.__contains__, wanted):
            rows = [row if row and row.samples else None for row in earlier_rows(name, dtype)]
            function = MeasuredFunction(reference, name, dtype, rows)
            sampled += make_sample_parts(function, options.samples)
    return parts + sorted(sampled, key=lambda part: part.begin)


class Run:
    """Compares the pieces of parts in several threads. Each thread uses one device of each kind.

    kinds: for each kind, a label and a list of equal devices. results: receives new rows and is written to the path.
    """

    def __init__(self, reference, kinds, results, path):
        self._reference, self._kinds, self._results, self._path = reference, kinds, results, path
        self._pieces = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self.rows = {}  # the new rows, by function and device
        self.failed = 0

    def measure(self, parts, jobs, seconds):
        """Run until all parts are finished or the seconds are over."""
        self._end = self._begin + seconds
        functions = list(dict.fromkeys(part.function for part in parts))
        devices = [device for _, devices in self._kinds for device in devices]
        for part in parts:
            for piece in part.pieces:
                self._pieces.put((part, piece))
        with ThreadPoolExecutor(max(1, jobs // 8)) as compilers, ThreadPoolExecutor(jobs) as pool:
            for function in functions:
                function.compiled = compilers.submit(function.compile, devices)
            try:
                workers = [pool.submit(self._run_worker, number) for number in range(jobs)]
                wait(workers)
            finally:  # also after Ctrl-C
                self._end = 0
                compilers.shutdown(cancel_futures=True)
        for worker in workers:
            worker.result()
        for function in functions:
            if function.parts and not function.failed:
                count = function.results[0].count
                print(f"not done in time: {function.label}, {count:,} inputs so far")

    def _run_worker(self, number):
        try:
            evaluators = [Evaluator(devices[number % len(devices)]) for _, devices in self._kinds]
        except Exception:
            self._report_failure(f"thread {number} failed:\n{traceback.format_exc()}")
            return
        while time.monotonic() < self._end:
            try:
                part, piece = self._pieces.get_nowait()
            except queue.Empty:
                return
            function = part.function
            if function.failed:
                continue
            try:
                function.compiled.result()
                results = piece(evaluators)
            except ValuesChanged as changed:
                self._report_failure(f"{changed}: delete its row to measure it again", function)
            except Exception:
                self._report_failure(
                    f"{function.label} failed:\n{traceback.format_exc()}", function
                )
            else:
                self._add_results(part, results)

    def _report_failure(self, message, function=None):
        with self._lock:
            if function and function.failed:
                return
            if function:
                function.failed = True
            self.failed += 1
            print(message, flush=True)

    def _add_results(self, part, results):
        with self._lock:
            self._reference.merge_results(part.results, results)
            part.left -= 1
            parts = part.function.parts
            while parts and not parts[0].left and not part.function.failed:
                self._finish_part(parts.pop(0))

    def _finish_part(self, part):
        """Called when all pieces of a part and of the parts before it are compared."""
        function = part.function
        for i, begin in enumerate(function.begins):
            if part.begin < begin:  # the row contains these samples
                part.results[i] = Result()
        self._reference.merge_results(function.results, part.results)
        for i, (label, _) in enumerate(self._kinds):
            samples, checksum = max(part.end, function.begins[i]), function.checksums[i]
            dtype = function.dtype.__name__
            row = Row.from_result(
                function.name, dtype, label, function.results[i], samples, checksum
            )
            self._results.add(row)
            self.rows[function.label, label] = row
            if not function.parts:
                elapsed = time.monotonic() - self._begin
                print(f"{elapsed:5.0f} s  {label[:6]:6}  {row}", flush=True)
        if self._path:
            self._results.write(self._path)


def find_devices(kind):
    """Finds (label, devices) for a kind of device: all devices with the first one's name."""
    devices = [device for device in cuda.all_devices() if device.type == kind]
    if not devices:
        raise SystemExit(f"there is no device of type {kind} here")
    name = devices[0].name
    label = f"CPU ({name})" if kind == "cpu" else name
    return label, [device for device in devices if device.name == name]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", default="cpu", help="cpu, cuda or cpu,cuda; all equal GPUs")
    parser.add_argument("--step", type=int, default=1, help="every step-th float32 (1: all)")
    parser.add_argument(
        "--samples", type=int, default=100_000_000, help="inputs per other function (10^8)"
    )
    parser.add_argument("--functions", help="names, separated by commas (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="threads")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument(
        "--continue",
        action="store_true",
        dest="go_on",
        help="measure only inputs that the results file lacks",
    )
    parser.add_argument("--results", type=Path, help="the results file (JSON) to update")
    parser.add_argument("-o", "--output", type=Path, help="the page to write from all its rows")
    return parser.parse_args()


def main():
    options = parse_arguments()
    kinds = [find_devices(kind) for kind in options.devices.split(",")]
    reference = Reference()
    results = Results()
    if options.results and options.results.exists():
        results.read(options.results)
    run = Run(reference, kinds, results, options.results)
    parts = plan_parts(reference, [label for label, _ in kinds], results, options)
    run.measure(parts, options.jobs, options.seconds)
    if options.output:
        options.output.write_text(format_page(results))
    over = sum(row.exceeds_bounds for row in run.rows.values())
    print(f"{over} functions are outside of CUDA's bounds, {run.failed} failed")
    return 1 if over or run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
