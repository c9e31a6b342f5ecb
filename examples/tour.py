"""A tour of the examples on realistic sizes, checked against NumPy and timed.

    python examples/tour.py            a minute at most
    python examples/tour.py --quick    small data, a few seconds

The times cover only the launches, after compilation. Plain Python runs the kernel's source in the interpreter: a
sample of its threads is timed and scaled to the whole grid (see plain_python.py).
"""

import argparse
import dataclasses
import shutil
import sys
import time
import types

import black_scholes
import device_functions
import grid_stride
import heat_equation
import histogram
import mandelbrot
import matmul
import monte_carlo_pi
import numpy as np
import plain_python
import race_and_atomic
import vector_add

import heddle
from heddle import cuda


@dataclasses.dataclass
class Stop:
    """A row of the tour: an example, its data size, and the required agreement with NumPy."""

    name: str
    module: types.ModuleType
    size: int
    quick_size: int
    size_in_words: str
    way: str = ""  # for examples with several variants
    tolerance: float = 0.0  # relative and absolute; 0: bit-identical
    agreeing: float = 1.0  # fraction of the numbers that must agree

    def run(self, size):
        return self.module.run(size, self.way) if self.way else self.module.run(size)


# fmt: off
STOPS = [
    Stop("vector add", vector_add, 10_000_000, 10_000, "{:,} numbers"),
    Stop("grid-stride loop", grid_stride, 4_000_000, 10_000, "{:,} points", tolerance=1e-9),
    Stop("race, fixed", race_and_atomic, 4_000_000, 10_000, "{:,} numbers"),
    Stop("histogram, global", histogram, 4_000_000, 10_000, "{:,} numbers", "global"),
    Stop("histogram, in blocks", histogram, 4_000_000, 10_000, "{:,} numbers", "blocks"),
    Stop("matmul, naive", matmul, 512, 40, "{0} x {0} float32", "naive", tolerance=1e-4),
    Stop("matmul, tiled", matmul, 512, 40, "{0} x {0} float32", "tiled", tolerance=1e-4),
    Stop("matmul, tiled at launch", matmul, 512, 40, "{0} x {0} float32", "tiled at launch", tolerance=1e-4),
    Stop("Black-Scholes", black_scholes, 1_000_000, 1_000, "{:,} options", tolerance=1e-9),
    Stop("Mandelbrot", mandelbrot, 1_600, 80, "{} pixels wide", agreeing=0.999),
    Stop("heat equation", heat_equation, 1_024, 40, "{0} x {0}, 50 steps", tolerance=1e-9),
    Stop("Monte Carlo pi", monte_carlo_pi, 32_768, 128, "{:,} x 500 points"),
    Stop("device functions", device_functions, 1_000_000, 1_000, "{:,} places", tolerance=1e-6),
]
# fmt: on


class Watched:
    """A kernel whose launches are timed."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.py_func = kernel.py_func
        self.launches = []  # (grid, block, shared bytes, arguments)
        self.seconds = 0.0

    def __getitem__(self, configuration):
        grid, block, *rest = configuration
        launch = self.kernel[configuration]

        def timed(*arguments):
            cuda.synchronize()
            begin = time.perf_counter()
            launch(*arguments)
            cuda.synchronize()
            self.seconds += time.perf_counter() - begin
            self.launches.append((grid, block, rest[1] if len(rest) > 1 else 0, arguments))

        return timed

    def seconds_in_python(self, patience):
        """The estimated time of all launches in Python, from the first: they do the same work."""
        if not self.launches:
            return 0.0
        grid, block, shared_bytes, arguments = self.launches[0]
        arguments = [a.copy_to_host() if cuda.is_cuda_array(a) else a for a in arguments]
        each = plain_python.seconds_per_thread(self, grid, block, shared_bytes, arguments, patience)
        return each * np.prod(grid) * np.prod(block) * len(self.launches)


def watch_kernels(module):
    """Replaces every kernel of an example by a watched one. Returns them by name."""
    kernels = {
        name: Watched(value)
        for name, value in vars(module).items()
        if hasattr(value, "py_func") and not value.targetoptions.get("device")
    }
    vars(module).update(kernels)
    return kernels


def unwatch_kernels(module, kernels):
    vars(module).update({name: watched.kernel for name, watched in kernels.items()})


@dataclasses.dataclass
class Result:
    stop: Stop
    size: str
    seconds: float = 0.0
    python_seconds: float = 0.0
    problem: str = ""


def visit(stop, quick):
    """Runs one example and times its launches. A failure is reported in Result.problem."""
    size = stop.quick_size if quick else stop.size
    result = Result(stop, stop.size_in_words.format(size))
    kernels = {}
    try:
        stop.run(stop.quick_size)  # compiles
        kernels = watch_kernels(stop.module)
        got, expected = stop.run(size)
        close = np.isclose(got, expected, rtol=stop.tolerance, atol=stop.tolerance)
        if close.mean() < stop.agreeing:
            wrong = np.count_nonzero(~close)
            result.problem = f"{wrong:,} of {close.size:,} numbers differ from NumPy's"
        result.seconds = sum(kernel.seconds for kernel in kernels.values())
        # After the check, because it overwrites the arrays.
        patience = 0.01 if quick else 0.3
        result.python_seconds = sum(k.seconds_in_python(patience) for k in kernels.values())
    except Exception as error:
        result.problem = f"{type(error).__name__}: {error}"
    finally:
        unwatch_kernels(stop.module, kernels)
    return result


def show_progress(done, name):
    """Draws a progress bar, only on a terminal."""
    if not sys.stdout.isatty():
        return
    filled = round(30 * done / len(STOPS))
    bar = "#" * filled + "." * (30 - filled)
    line = f"  [{bar}] {done}/{len(STOPS)} {name}"
    columns = shutil.get_terminal_size().columns - 1
    print("\r" + line[:columns].ljust(columns), end="" if name else "\r", flush=True)


def in_words(seconds):
    for limit, unit, name in (
        (1e-3, 1e-6, "us"),
        (1, 1e-3, "ms"),
        (120, 1, "s"),
        (7200, 60, "min"),
    ):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 3600:,.1f} h"


def print_table(results):
    good, bad = (
        ("\u2713", "\u2717") if "utf" in (sys.stdout.encoding or "").lower() else ("ok", "WRONG")
    )
    form = "{:<25}{:<24}{:>10}{:>15}{:>12}  {}"
    print(form.format("example", "size", "time", "plain Python", "speed-up", "check"))
    for r in results:
        if r.problem:
            print(form.format(r.stop.name, r.size, "", "", "", bad))
            continue
        faster = f"{r.python_seconds / max(r.seconds, 1e-9):,.0f} x"
        times = in_words(r.seconds), in_words(r.python_seconds)
        print(form.format(r.stop.name, r.size, *times, faster, good))
    for r in results:
        if r.problem:
            print(f"{r.stop.name}: {r.problem}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Runs, checks and times every example.")
    parser.add_argument("--quick", action="store_true", help="small data: a few seconds in total")
    quick = parser.parse_args(arguments).quick

    device = cuda.get_current_device()
    print(f"Heddle {heddle.__version__} on {device.name}\n")
    begin = time.perf_counter()
    results = []
    for stop in STOPS:
        show_progress(len(results), stop.name)
        results.append(visit(stop, quick))
    show_progress(len(STOPS), "")
    print_table(results)

    failed = sum(bool(result.problem) for result in results)
    print(
        "\nPlain Python: the kernel's source in the interpreter, a sample of its threads scaled to all."
    )
    wrong = "1 example is" if failed == 1 else f"{failed} examples are"
    outcome = f"{wrong} wrong" if failed else "All agree with NumPy"
    print(f"{outcome}; {time.perf_counter() - begin:.0f} s in total.")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
