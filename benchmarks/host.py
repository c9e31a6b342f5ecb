"""Compares host functions compiled by Heddle and by numba: shortest times of alternating calls, ratios, first calls.

Run ``python benchmarks/host.py [NAME...]`` in the project's environment with numba (scripts/setup.sh bench). NAME
selects the rows that contain it. Both results are compared before timing. The first calls include compilation and
follow one of another function. A ufunc is compiled by its decorator, so its first call does not include compilation.
"""

import statistics
import sys
import time

import numba
import numpy as np

import heddle
from host_programs import make_programs

SECONDS = 1.0  # per row
TURN = 0.002  # calls shorter than this are repeated for as long in each turn
PAUSE = 0.003  # before each turn: the other library's threads spin this long after their work


def measure_seconds(function, arguments, calls=1):
    start = time.perf_counter()
    for _ in range(calls):
        result = function(*arguments)
    return (time.perf_counter() - start) / calls, result


def require_close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


def measure_shortest_times(functions, arguments):
    """The shortest times of two functions, which take turns."""
    once = min(
        measure_seconds(f, a)[0]
        for f, a in zip(functions, arguments, strict=True)
        for _ in range(3)
    )
    calls = max(1, int(TURN / once))
    turns = int(min(400, max(5, SECONDS / 2 / (once * calls))))
    best = [float("inf"), float("inf")]
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            time.sleep(PAUSE)
            best[which] = min(
                best[which], measure_seconds(functions[which], arguments[which], calls)[0]
            )
    return best


def format_duration(value):
    """The time in a unit with two to four digits."""
    for unit, name in ((1, "s "), (1e-3, "ms"), (1e-6, "us")):
        if value >= unit:
            return f"{value / unit:7.2f} {name}"
    return f"{value / 1e-9:7.0f} ns"


def warm_up(njit):
    """Load what a process's first compilation loads."""
    njit(lambda a: a[0])(np.zeros(1))


def main(names):
    ours, theirs = make_programs(heddle), make_programs(numba)
    warm_up(heddle.njit)
    warm_up(numba.njit)
    print(
        f"{'':28} {'heddle':>10} {'numba':>10} {'ratio':>6}   {'first call':>10} {'numba':>10} {'ratio':>6}"
    )
    ratios = []
    for name, (function, make) in ours.items():
        if names and not any(part in name for part in names):
            continue
        peer = theirs[name][0]
        arguments = make()
        copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        first, result = measure_seconds(function, arguments)
        first_of_numba, expected = measure_seconds(peer, copies)
        for one, other in zip((result, *arguments), (expected, *copies), strict=True):
            if other is not None:
                require_close(one, other)
        a, b = measure_shortest_times((function, peer), (arguments, copies))
        ratios.append(a / b)
        print(
            f"{name:28} {format_duration(a)} {format_duration(b)} {a / b:6.2f}   {1e3 * first:7.0f} ms"
            f" {1e3 * first_of_numba:7.0f} ms {first / first_of_numba:6.2f}",
            flush=True,
        )
    print(f"median of the ratios: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
