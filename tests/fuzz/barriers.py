"""Random kernels with barriers, run at every width: python tests/fuzz/barriers.py --seconds 60 --seed 1.

Between two barriers a kernel either reads its block's shared memory or writes each thread's element, so no threads
race. Branches depend on the thread's position along x and y, on the data and on the iteration. Values that only some
threads have, and values from earlier iterations, live across barriers. The result with width=1 is the correct one. A
kernel with another result is made smaller and printed; the exit status is then 1.

--one-width compares width=1 with one other width, for emulators, where compiling a kernel takes seconds.
"""

import argparse
import contextlib
import functools
import linecache
import multiprocessing
import os
import random
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from heddle import cuda

BLOCKS = [(64,), (16, 4), (8, 8), (37,), (8, 4, 3), (16, 8), (5, 4), (32, 2)]
WIDTHS = [None, 4, 16]
CONDITIONS = [
    *[
        "x < n",
        "x <= last",
        "x > 3",
        "x >= n",
        "x == 0",
        "x < 4",
        "not (x < n)",
        "x + k < n",
        "x < k + 3",
    ],
    *["t < last", "y % 2 == k % 2", "y < 2", "z == 0", "x < n and y < 2", "y == 1 or x < k"],
    *["n > 5", "k < 2", "s[t] % 3 == 0"],
]
BEGIN = """def kernel(out, n):
    s = cuda.shared.array(256, np.int32)
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    count = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    t = (z * cuda.blockDim.y + y) * cuda.blockDim.x + x
    s[t] = 3 * t + n
    v0, v1, v2, k, last = 1, t, 0, 0, n
    cuda.syncthreads()"""
END = "    out[cuda.blockIdx.x * count + t] = s[t] + 100000 * v0 + 7 * v1 - v2"
LOOPS = [
    "for k in range(3):",
    "for k in range(n % 5):",
    "for last in range(n, 0, -3):",
    "for last in range(1, 40, n):",
]


class Writer:
    """Writes the lines of one kernel."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = BEGIN.splitlines()

    def write_kernel(self):
        if self.rng.random() < 0.5:
            self.write_regions("    ")
        for _ in range(self.rng.randrange(1, 3)):
            self.lines.append("    " + self.rng.choice(LOOPS))
            self.write_regions("        ")
        if self.rng.random() < 0.5:
            self.write_regions("    ")
        return [*self.lines, END]

    def write_regions(self, indent):
        for _ in range(self.rng.randrange(1, 4)):
            for writes in (False, True):
                self.write_statements(indent, writes)
                self.lines.append(indent + "cuda.syncthreads()")

    def write_statements(self, indent, writes, depth=0):
        for _ in range(self.rng.randrange(1, 3)):
            self.write_statement(indent, writes, depth)

    def write_statement(self, indent, writes, depth):
        rng, lines = self.rng, self.lines
        kind = rng.randrange(6)
        if kind < 2 and depth < 3:
            lines.append(f"{indent}if {rng.choice(CONDITIONS)}:")
            self.write_statements(indent + "    ", writes, depth + 1)
            if rng.random() < 0.5:
                lines.append(indent + rng.choice(["else:", f"elif {rng.choice(CONDITIONS)}:"]))
                self.write_statements(indent + "    ", writes, depth + 1)
        elif kind == 2 and depth < 2:
            lines.append(f"{indent}for _ in range({rng.choice(['3', 'n % 4', 'x % 3'])}):")
            self.write_statements(indent + "    ", writes, depth + 1)
        else:
            to = "s[t]" if writes and kind != 3 else f"v{rng.randrange(3)}"
            lines.append(f"{indent}{to} = {self.make_expression(writes)} % 10007")

    def make_expression(self, writes, depth=0):
        rng = self.rng
        inner = lambda: self.make_expression(writes, depth + 1)  # noqa: E731
        simple = [str(rng.randrange(1, 9)), "t", f"v{rng.randrange(3)}", "k", "s[t]"]
        simple.append("s[t]" if writes else f"s[(t + {rng.randrange(9)}) % count]")
        kind = rng.randrange(9)
        if kind < 6 or depth > 2:
            return simple[kind % 6]
        return [
            f"({inner()} + {inner()})",
            f"({inner()} * {inner()} % 1009)",
            f"({inner()} // (n + 1))",
        ][kind - 6]


def run_kernel(lines, block, n, width):
    source = "\n".join(lines) + "\n"
    name = f"<barriers {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    names = {"cuda": cuda, "np": np}
    exec(compile(source, name, "exec"), names)
    out = np.zeros(2 * int(np.prod(block)), np.int64)
    cuda.jit(width=width)(names["kernel"])[2, block](out, n)
    cuda.synchronize()
    return out


def find_wrong_widths(lines, block, n, widths):
    expected = run_kernel(lines, block, n, 1)
    return [w for w in widths if not np.array_equal(run_kernel(lines, block, n, w), expected)]


def shrink(lines, block, n, widths, seconds):
    """The lines without statements, and their bodies, that are not needed for the difference."""

    def indent(line):
        return len(line) - len(line.lstrip())

    def differs(candidate):
        try:
            return bool(find_wrong_widths(candidate, block, n, widths))
        except Exception:  # the candidate may be no valid program
            return False

    end = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for i in range(len(lines) - 2, len(BEGIN.splitlines()) - 1, -1):
            if i >= len(lines) - 1 or time.monotonic() > end:
                continue
            j = i + 1
            while indent(lines[j]) > indent(lines[i]):
                j += 1
            candidate = lines[:i] + lines[j:]
            if not re.search("syncthreads", lines[i]) and differs(candidate):
                lines, changed = candidate, True
    return lines


def check_seed(seed, one_width):
    """A report on the kernel of ``seed`` if its results differ; otherwise None."""
    rng = random.Random(seed)
    lines, block, n = Writer(rng).write_kernel(), rng.choice(BLOCKS), rng.randrange(2, 14)
    widths = [rng.choice(WIDTHS)] if one_width else WIDTHS
    wrong = find_wrong_widths(lines, block, n, widths)
    if not wrong:
        return None
    print(f"seed {seed}: widths {wrong} differ from 1; making the kernel smaller", flush=True)
    smaller = shrink(lines, block, n, wrong, seconds=60)
    return "\n".join(
        [*smaller, f"seed {seed}: blocks of {block}, n = {n}: widths {wrong} differ from 1"]
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, help="stop after this many kernels, whatever the time")
    parser.add_argument("--seed", type=int, help="first seed; others follow (default: random)")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes (1)")
    parser.add_argument("--one-width", action="store_true", help="compare one width with width=1")
    arguments = parser.parse_args()
    first = random.randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"kernels from seed {first}", flush=True)
    start, done, told = time.monotonic(), 0, 0

    def count_left():
        if arguments.count is not None:
            return arguments.count - done
        return sys.maxsize if time.monotonic() - start < arguments.seconds else 0

    with contextlib.ExitStack() as stack:
        run, batch = map, 1
        if arguments.jobs > 1:
            os.environ.setdefault("HEDDLE_NUM_THREADS", "2")
            pool = ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn"))
            run, batch = stack.enter_context(pool).map, 8 * arguments.jobs
        while left := count_left():
            seeds = range(first + done, first + done + min(batch, left))
            for report in run(functools.partial(check_seed, one_width=arguments.one_width), seeds):
                if report:
                    sys.exit(report)
            done += len(seeds)
            spent = int(time.monotonic() - start)
            if spent // 10 > told // 10:
                print(f"{done} kernels, {spent} s", flush=True)
                told = spent
    print(f"{done} kernels, no difference")


if __name__ == "__main__":
    main()
