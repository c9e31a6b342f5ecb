"""Compares kernels on the CPU device with C++ with OpenMP and with OpenCL on pocl: medians of alternating runs.

    python benchmarks/cpu.py [WORD...]      all rows, or those whose names contain one of the words
    python benchmarks/cpu.py --cores        one core compared with all cores
    python benchmarks/cpu.py --simulator    small sizes, compared with the simulator of numba.cuda
    python benchmarks/cpu.py --bounds       with and without index checks
    ... --markdown                          print the table as Markdown

Run it in the project's environment; it needs clang++-22 with libomp, or g++. cpu_opencl.py says what the pocl column
needs. A ratio is Heddle's time divided by the other time. "One at a time" is the kernel with width=1, without vectors
of threads. "First call" is the time to compile the kernel and run one block.
"""

import argparse
import ctypes
import os
import tempfile

import numpy as np

import cpu_bounds
import cpu_checks
import cpu_cores
import cpu_opencl
import cpu_simulator
from cpu_peers import OPTIONS, compile_peers
from cpu_rows import select_rows
from cpu_timing import RUNS, Table, divide_or_none, measure_medians_in_turns, measure_milliseconds
from heddle import cuda

COLUMNS = ["time", "C++", "ratio", "pocl", "ratio to pocl", "one at a time", "first call"]

# The fraction of a result's elements that may differ from OpenCL's: near the set's edge, rounding changes the steps.
MAY_DIFFER = {"mandelbrot": 0.005}


def find_opencl():
    try:
        return cpu_opencl.OpenCL()
    except cpu_opencl.Missing as missing:
        print(f"no column of pocl: {missing}; it needs {cpu_opencl.TO_INSTALL}")
        return None


def require_equal_results(row, kernel, opencl):
    """Raise an error if the OpenCL kernel computes a different result from the same arguments."""
    name = row.kernel.__name__
    ours, theirs = (
        [v.copy() if isinstance(v, np.ndarray) else v for v in row.arguments] for _ in range(2)
    )
    kernel[row.launch](*ours)
    cuda.synchronize()
    opencl.make_call(name, row.launch, theirs)()
    for a, b in zip(ours, theirs, strict=True):
        differ = 1 - np.isclose(a, b, rtol=1e-4, atol=1e-5).mean()
        assert differ <= MAY_DIFFER.get(name, 0), f"{name} in OpenCL: {differ:.2%} differ"


def measure_row(row, opencl):
    """The row's values for COLUMNS."""
    kernel, single = cuda.jit(row.kernel), cuda.jit(width=1)(row.kernel)
    one_block = (1, row.launch[1])
    first = measure_milliseconds(lambda: kernel[one_block](*row.arguments))
    in_opencl = opencl and opencl.make_call(row.kernel.__name__, row.launch, row.arguments)
    if in_opencl:
        require_equal_results(row, kernel, opencl)
    calls = [
        lambda: kernel[row.launch](*row.arguments),
        row.peer,
        in_opencl,
        lambda: single[row.launch](*row.arguments),
    ]
    for call in filter(None, calls):
        call()
    ours, cpp, pocl, one = measure_medians_in_turns(
        [call and (lambda call=call: measure_milliseconds(call)) for call in calls]
    )
    return ours, cpp, divide_or_none(ours, cpp), pocl, divide_or_none(ours, pocl), one, first


def print_comparison(arguments, library):
    opencl = find_opencl()
    table = Table(COLUMNS, arguments.markdown)
    with cuda.current_context("cpu"):
        for row in select_rows(arguments.words, ctypes.CDLL(library)):
            table.print_row(row.name, measure_row(row, opencl))
    if opencl:
        print(f"pocl: {opencl.version}")


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help="run the rows that contain it")
    parser.add_argument("--cores", action="store_true", help="compare one core with all cores")
    parser.add_argument("--simulator", action="store_true", help="compare with numba's simulator")
    parser.add_argument(
        "--bounds", action="store_true", help="compare with and without index checks"
    )
    parser.add_argument(
        "--checks", action="store_true", help="compare with and without `heddle check`"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def main():
    # OpenMP's threads spin for 200 ms after their work and would take cores from the kernel timed next.
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    arguments = parse_options()
    if arguments.simulator:
        cpu_simulator.print_comparison(arguments.words, arguments.markdown)
        return
    if arguments.bounds:
        cpu_bounds.print_comparison(arguments.words, arguments.markdown)
        return
    if arguments.checks:
        cpu_checks.compare(arguments.words, arguments.markdown)
        return
    with tempfile.TemporaryDirectory() as folder:
        library, compiler = compile_peers(folder)
        if arguments.cores:
            cpu_cores.print_comparison(arguments.words, arguments.markdown, library)
        else:
            print_comparison(arguments, library)
    print(f"C++ by {compiler} {' '.join(OPTIONS)}; medians of {RUNS} runs")


if __name__ == "__main__":
    main()
