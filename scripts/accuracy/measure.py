"""Measures the errors of math functions.

    python scripts/accuracy/measure.py --devices cpu,cuda --results docs/accuracy.json -o docs/accuracy.md

For float32 functions of one argument it measures all 2^32 inputs, or every --step-th one. For float64 and for two
arguments it measures --samples random inputs and all pairs of corner cases. The exact values come from reference.cpp,
which it compiles with g++. It needs heddle, NumPy and g++.

New rows replace the rows for the same function, type and device in the results file. The file is written as soon as
rows are known, so that an interrupted run loses none. A run ends after --seconds: unfinished float32 functions of one
argument keep their old rows, other functions get rows for fewer inputs. The same command with --continue measures the
rest.
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
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from evaluator import DOUBLES, FLOATS, Evaluator  # noqa: E402
from functions import BINARY, UNARY  # noqa: E402
from measured_function import MeasuredFunction  # noqa: E402
from page import page_of  # noqa: E402
from reference import Reference, Result  # noqa: E402
from results import Results, Row  # noqa: E402

from heddle import cuda  # noqa: E402

_samples_of_a_part = 10_000_000


class Part:
    """A set of a function's inputs whose results are added at once. pieces: calls that compare some of them."""

    def __init__(self, function, pieces):
        self.function, self.pieces = function, pieces
        self.left = len(pieces)
        self.results = (Result * len(function.results))()
        function.parts_left += 1


def part_of_every(function, step):
    """All floats, or every step-th one and the corner cases."""
    total = -(-(1 << 32) // step)
    pieces = [
        partial(function.compare_every, first=i * step, step=step, n=min(FLOATS, total - i))
        for i in range(0, total, FLOATS)
    ]
    return Part(function, pieces + ([] if step == 1 else [function.compare_corner_cases]))


def parts_of_samples(function, count):
    """Random inputs. The first part also has the corner cases."""
    parts = []
    for begin in range(0, count, _samples_of_a_part):
        end = min(begin + _samples_of_a_part, count)
        pieces = [
            partial(function.compare_samples, n=min(DOUBLES, end - i), seed=i)
            for i in range(begin, end, DOUBLES)
        ]
        parts.append(Part(function, pieces + ([] if begin else [function.compare_corner_cases])))
    return parts


def plan(reference, labels, results, options):
    """The parts in the order of their measurement: all-floats parts, then the first parts of the other functions, then
    their second parts and so on.

    labels: of the devices. results: of earlier runs.
    """
    known = [*UNARY, *BINARY]
    wanted = options.functions.split(",") if options.functions else known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no function {', '.join(unknown)}: there are {', '.join(known)}")

    def functions(names, dtype, count):
        def is_done(name):
            measured = (results.inputs_of(name, dtype.__name__, label) for label in labels)
            return options.go_on and min(measured) >= count

        chosen = [name for name in names if name in wanted and not is_done(name)]
        return [MeasuredFunction(reference, name, dtype, len(labels)) for name in chosen]

    floats = functions(UNARY, np.float32, (1 << 32) // options.step)
    sampled = functions(UNARY, np.float64, options.samples)
    sampled += functions(BINARY, np.float32, options.samples)
    sampled += functions(BINARY, np.float64, options.samples)
    parts = [part_of_every(f, options.step) for f in floats]
    rounds = zip(*(parts_of_samples(f, options.samples) for f in sampled), strict=True)
    return parts + [part for each in rounds for part in each]


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
                workers = [pool.submit(self._work, number) for number in range(jobs)]
                wait(workers)
            finally:  # also after Ctrl-C
                self._end = 0
                compilers.shutdown(cancel_futures=True)
        for worker in workers:
            worker.result()
        for function in functions:
            if function.parts_left and not function.failed:
                count = function.results[0].count
                print(f"not done in time: {function.label}, {count:,} inputs so far")

    def _work(self, number):
        try:
            evaluators = [Evaluator(devices[number % len(devices)]) for _, devices in self._kinds]
        except Exception:
            self._fail(f"thread {number}")
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
            except Exception:
                self._fail(function.label, function)
            else:
                self._add(part, results)

    def _fail(self, what, function=None):
        with self._lock:
            if function and function.failed:
                return
            if function:
                function.failed = True
            self.failed += 1
            print(f"{what} failed:\n{traceback.format_exc()}", flush=True)

    def _add(self, part, results):
        with self._lock:
            self._reference.join(part.results, results)
            part.left -= 1
            if not part.left:
                self._finish(part)

    def _finish(self, part):
        """Called when all pieces of a part are compared."""
        function = part.function
        self._reference.join(function.results, part.results)
        function.parts_left -= 1
        for (label, _), result in zip(self._kinds, function.results, strict=True):
            row = Row.of(function.name, function.dtype.__name__, label, result)
            self._results.add(row)
            self.rows[function.label, label] = row
            if not function.parts_left:
                elapsed = time.monotonic() - self._begin
                print(f"{elapsed:5.0f} s  {label[:6]:6}  {row}", flush=True)
        if self._path:
            self._results.write(self._path)


def devices_of(kind):
    """(label, devices) for a kind of device: all devices equal to the first one."""
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
        help="skip functions that the results file has with at least as many inputs",
    )
    parser.add_argument("--results", type=Path, help="the results file (JSON) to update")
    parser.add_argument("-o", "--output", type=Path, help="the page to write from all its rows")
    return parser.parse_args()


def main():
    options = parse_arguments()
    kinds = [devices_of(kind) for kind in options.devices.split(",")]
    reference = Reference()
    results = Results()
    if options.results and options.results.exists():
        results.read(options.results)
    run = Run(reference, kinds, results, options.results)
    parts = plan(reference, [label for label, _ in kinds], results, options)
    run.measure(parts, options.jobs, options.seconds)
    if options.output:
        options.output.write_text(page_of(results))
    over = sum(row.is_over for row in run.rows.values())
    print(f"{over} functions are outside of CUDA's bounds, {run.failed} failed")
    return 1 if over or run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
