"""Measures what users wait for: import, first call, launch, small and large kernels. Prints medians and their limits.

`make bench` runs it. numba, if installed, is measured in the same run: its CUDA simulator (which needs no GPU) in
separate processes, its njit(parallel=True) in this one.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIMULATOR = {"KERNELS_FROM": "numba", "NUMBA_ENABLE_CUDASIM": "1"}


def run_in_fresh_process(*arguments, **environment):
    """The milliseconds that one_process.py prints when run with ``arguments`` in a new process."""
    done = subprocess.run(
        [sys.executable, HERE / "one_process.py", *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"one_process.py {' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return float(done.stdout)


def measure_median(measure, repeats):
    return statistics.median(measure() for _ in range(repeats))


def measure_launch_microseconds():
    """Host time of launching an empty kernel with one block, as ``empty[1, 1]()``."""
    import kernels
    from heddle import cuda

    launches = 1000
    kernels.empty[1, 1]()
    cuda.synchronize()

    def batch():
        start = time.perf_counter()
        for _ in range(launches):
            kernels.empty[1, 1]()
        spent = time.perf_counter() - start
        cuda.synchronize()
        return 1e6 * spent / launches

    return measure_median(batch, 50)


def measure_large_add():
    """Medians for adding 2^24 float32 elements: heddle's kernel and numba's parallel loop (or None), in turns."""
    import kernels

    n = 1 << 24
    call, check = kernels.add_vectors(n)
    call()
    check()
    contenders = [call]
    if importlib.util.find_spec("numba"):
        import numba

        @numba.njit(parallel=True)
        def parallel_add(a, b, c):
            for i in numba.prange(c.size):
                c[i] = a[i] + b[i]

        a, b = np.random.default_rng(1).random((2, n), np.float32)
        c = np.zeros_like(a)
        contenders.append(lambda: parallel_add(a, b, c))
        contenders[1]()

    medians = measure_in_turns(contenders)
    return medians[0], medians[1] if len(medians) > 1 else None


def measure_in_turns(contenders):
    """The medians of calls that take turns."""
    times = [[] for _ in contenders]
    for _ in range(25):
        for contender, spent in zip(contenders, times, strict=True):
            time.sleep(0.02)  # the other library's threads spin for a while after their work
            start = time.perf_counter()
            contender()
            spent.append(1e3 * (time.perf_counter() - start))
    return [statistics.median(spent) for spent in times]


def print_cuda_cpp_rows():
    """Rows for kernels in CUDA C++, compared with the same kernels in Python."""
    import cuda_cpp_kernels

    with tempfile.TemporaryDirectory() as cache:
        first = measure_median(
            lambda: run_in_fresh_process(
                "first_raw_call", HEDDLE_CACHE_DIR=tempfile.mkdtemp(dir=cache)
            ),
            9,
        )
    print_row("first call of vector_add in CUDA C++", first, "ms", 25)
    for what, make in cuda_cpp_kernels.PAIRS.items():
        pair = make()
        for call, check in pair:
            call()
            check()
        in_python, in_cpp = measure_in_turns([call for call, _ in pair])
        print_row(
            f"{what}, in CUDA C++", in_cpp, "ms", 1.1 * in_python, f"in Python: {in_python:.3f} ms"
        )


def print_row(what, value, unit, bar, beside=""):
    verdict = "" if bar is None else "ok" if value <= bar else "OVER"
    bar_text = "" if bar is None else f"{bar:.3g} {unit}"
    print(f"{what:<54} {value:>10.3f} {unit}  {bar_text:>8}  {verdict:<4}  {beside}", flush=True)


def main():
    has_numba = importlib.util.find_spec("numba") is not None
    print(f"{'median of':<54} {'measured':>13}  {'at most':>8}")

    # `import heddle` loads neither NumPy nor the compiler, so time heddle.cuda, which programs import.
    heddle = measure_median(lambda: run_in_fresh_process("import", "heddle.cuda"), 11)
    numpy = measure_median(lambda: run_in_fresh_process("import", "numpy"), 11)
    print_row("import heddle.cuda, more than import numpy", heddle - numpy, "ms", 60)

    for kernel, bar in ("vector_add", 60), ("tiled_matmul", 150):
        first = measure_median(lambda kernel=kernel: run_in_fresh_process("first_call", kernel), 9)
        print_row(f"first call of {kernel}", first, "ms", bar)

    with tempfile.TemporaryDirectory() as cache:
        cached = {"KERNELS_CACHE": "1", "HEDDLE_CACHE_DIR": cache}
        for kernel in "vector_add", "tiled_matmul":
            run_in_fresh_process("first_call", kernel, **cached)
            hit = measure_median(
                lambda kernel=kernel: run_in_fresh_process("first_call", kernel, **cached), 9
            )
            print_row(f"first call of {kernel}, in the disk cache", hit, "ms", 10)

    for what, lines, told, bar in (
        ("long_kernel", 500, "first call of a kernel of 500 lines", 400),
        ("message", 500, "error message, in the last of 500 lines", 20),
        ("message", 20, "error message, in a kernel of 20 lines", 20),
    ):
        spent = measure_median(lambda what=what, lines=lines: run_in_fresh_process(what, lines), 5)
        print_row(told, spent, "ms", bar)

    print_row(
        "launch of an empty one-block kernel, host side", measure_launch_microseconds(), "us", 5
    )

    runs = ("tiled_matmul", "64x64 float32, host arrays", 2), ("vector_add", "4,096 float32", 0.02)
    for kernel, size, bar in runs:
        beside = ""
        if has_numba:
            simulated = run_in_fresh_process("calls", kernel, 1, **SIMULATOR)
            beside = f"numba's simulator: {simulated:.0f} ms"
        print_row(
            f"{kernel}, {size}", run_in_fresh_process("calls", kernel, 501), "ms", bar, beside
        )

    in_shared_memory = run_in_fresh_process("calls", "sum_in_shared_memory", 51)
    print_row(
        "sum by shuffles, 2^20 float32, host arrays",
        run_in_fresh_process("calls", "sum_by_shuffles", 51),
        "ms",
        None,
        f"in shared memory: {in_shared_memory:.1f} ms",
    )

    ours, numbas = measure_large_add()
    print_row(
        "vector_add, 2^24 float32", ours, "ms", numbas, "the bar is numba.njit(parallel=True)"
    )
    print_cuda_cpp_rows()
    if not has_numba:
        print("numba is not installed: scripts/setup.sh bench installs it")


if __name__ == "__main__":
    main()
