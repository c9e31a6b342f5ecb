"""Kernels with a given number of lines: times their compilation, and the error message for a mistake in them."""

import linecache
import time

import numpy as np

from heddle import cuda, float32

# Ten typical lines of a kernel. The numbers differ in each repetition, so that no two are equal.
ROUND = """\
    t{n} = x[(i + {n}) % x.size] * factor + {n}.5
    if t{n} > {n}:
        total += math.sqrt(t{n}) / (1 + abs(y[i]))
    else:
        total -= y[(i * {n} + 1) % y.size] * t{n}
    for k in range({n} % 7 + 1):
        count += (k * {n} + i) & 255
        shared[cuda.threadIdx.x] = float32(total) + k
    low, high = min(total, t{n}), max(total, t{n})
    total += (high - low) * 0.25 if count % 3 else low
"""
HEAD = """\
def long_kernel(x, y, factor):
    shared = cuda.shared.array(128, float32)
    i = cuda.grid(1)
    if i >= x.size:
        return
    total, count = 0.0, 0
"""
TAIL = "    x[i] = total + count + shared[cuda.threadIdx.x]\n"


def generate_source(lines, last=TAIL):
    """The text of a kernel with about ``lines`` lines."""
    return HEAD + "".join(ROUND.format(n=n) for n in range(1, (lines - 7) // 10 + 1)) + last


def define_kernel(source, name):
    """The kernel in the text, as if it were in a file with that name."""
    import math

    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names = {"math": math, "cuda": cuda, "float32": float32}
    exec(compile(source, name, "exec"), names)
    return cuda.jit(names["long_kernel"])


def measure_compile_time(lines):
    """Milliseconds for the first launch of a kernel that no process has compiled before."""
    kernel = define_kernel(generate_source(lines), "long_kernel.py")
    x = np.ones(64)
    start = time.perf_counter()
    kernel[1, 64](x, x.copy(), 0.5)
    return 1e3 * (time.perf_counter() - start)


def measure_time_to_message(lines):
    """Milliseconds from launching a kernel with a mistake in its last line to the text of the exception."""
    mistake = "    x[i] = total + cuont\n"
    kernel = define_kernel(generate_source(lines, mistake), "wrong_kernel.py")
    x = np.ones(64)
    start = time.perf_counter()
    try:
        kernel[1, 64](x, x.copy(), 0.5)
    except Exception as error:
        assert "did you mean 'count'?" in str(error)
        return 1e3 * (time.perf_counter() - start)
    raise AssertionError("the mistake was not noticed")
