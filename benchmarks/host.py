"""Functions of the host beside numba's: medians of calls that take turns, their ratio, and first calls.

Run by ``python benchmarks/host.py [NAME...]`` in the project's environment with numba (scripts/setup.sh bench). A row's
name contains NAME. Results of both are compared before anything is measured.
"""

import statistics
import sys
import time

import numba
import numpy as np

import heddle
from host_programs import programs

RUNS = 9


def seconds(function, arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def equal(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


def main(names):
    ours, theirs = (
        programs(heddle.njit, heddle.prange),
        programs(numba.njit, numba.prange),
    )
    print(f"{'':28} {'heddle':>10} {'numba':>10} {'ratio':>6}   {'first call':>10} {'numba':>10}")
    ratios = []
    for name, (function, make) in ours.items():
        if names and not any(part in name for part in names):
            continue
        peer = theirs[name][0]
        arguments = make()
        copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        first, result = seconds(function, arguments)
        first_of_numba, expected = seconds(peer, copies)
        for one, other in zip((result, *arguments), (expected, *copies), strict=True):
            if other is not None:
                equal(one, other)
        own, others = [], []
        for _ in range(RUNS):
            own.append(seconds(function, arguments)[0])
            others.append(seconds(peer, copies)[0])
        a, b = statistics.median(own), statistics.median(others)
        ratios.append(a / b)
        print(
            f"{name:28} {1e3 * a:7.2f} ms {1e3 * b:7.2f} ms {a / b:6.2f}   {1e3 * first:7.0f} ms"
            f" {1e3 * first_of_numba:7.0f} ms",
            flush=True,
        )
    print(f"median of the ratios: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
