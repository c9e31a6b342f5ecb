"""Compares Heddle on an NVIDIA GPU with numba-cuda, CuPy's RawKernel (NVRTC) and torch in one process.

    python benchmarks/gpu.py [--only launch,add] [--json FILE] [--markdown docs/benchmarks.md]

Prints medians and ratios; libraries that are not installed are left out. Results are checked before timing. Kernel
times are measured with events around back-to-back launches, host times with a clock around a loop of launches that is
far from filling the queue.
"""

import argparse
import datetime
import importlib.util
import json
import os
import platform
import subprocess
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
os.environ.setdefault("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
import numpy_for_numba  # noqa: E402, F401 - before numba
from gpu_algorithms import measure_algorithm_rows  # noqa: E402
from gpu_first_call import extract_kernel_source, measure_first_call  # noqa: E402
from gpu_foreign_launches import measure_foreign_launch_rows  # noqa: E402
from gpu_graphs import measure_graph_rows  # noqa: E402
from gpu_raw_kernels import (  # noqa: E402
    measure_raw_first_call_rows,
    measure_raw_kernel_rows,
    measure_raw_launch_rows,
)
from gpu_timing import (  # noqa: E402
    Events,
    Row,
    make_batch,
    measure_launches_in_turns,
    measure_microseconds_per_call,
)


class Libraries:
    """The installed libraries, each imported once, and the kernels of gpu_kernels.py for each of them."""

    def __init__(self):
        self.heddle_kernels = self.load("heddle")
        self.heddle = self.heddle_kernels.cuda
        self.numba_kernels = self.numba = self.cupy = self.torch = None
        self.missing = []
        for name, load in [
            ("numba", self.find_numba),
            ("cupy", self.find_cupy),
            ("torch", self.find_torch),
        ]:
            try:
                load()
            except Exception as error:  # leave out a library that does not start
                self.missing.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")

    @staticmethod
    def load(package):
        os.environ["KERNELS_FROM"] = package
        spec = importlib.util.spec_from_file_location(f"{package}_kernels", HERE / "gpu_kernels.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    def find_numba(self):
        kernels = self.load("numba")
        kernels.cuda.to_device(np.zeros(1))
        self.numba_kernels, self.numba = kernels, kernels.cuda

    def find_cupy(self):
        import cupy

        cupy.zeros(1)
        self.cupy = cupy

    def find_torch(self):
        import torch

        torch.zeros(1, device="cuda")
        self.torch = torch

    def make_raw_kernel(self, name):
        """The CUDA C++ kernel with that name."""
        return self.cupy.RawKernel(extract_kernel_source(self.heddle_kernels.CUDA_CPP, name), name)

    def list_versions(self):
        import heddle

        found = {"heddle": heddle.__version__, "NumPy": np.__version__}
        for name, package in ("numba-cuda", "numba_cuda"), ("CuPy", "cupy"), ("torch", "torch"):
            module = sys.modules.get(package)
            if module is not None:
                found[name] = str(getattr(module, "__version__", "?"))
        return found


# Rows


def measure_launch_rows(libs):
    """Host time of a launch: vector add of 256 elements, by kind of argument."""
    host = np.arange(256, dtype=np.float32)
    heddle, ours = libs.heddle, libs.heddle_kernels.vector_add

    def kept(kernel, arrays):
        configured = kernel[1, 256]
        return make_batch(lambda: configured(*arrays))

    def plain(kernel, arrays):
        return make_batch(lambda: kernel[1, 256](*arrays))

    def check(result):
        np.testing.assert_array_equal(result, 2 * host)

    own = [heddle.to_device(host) for _ in range(3)]
    ours[1, 256](*own)
    check(own[2].copy_to_host())
    contenders = {
        "ours": (plain(ours, own), heddle.synchronize),
        "kept": (kept(ours, own), heddle.synchronize),
    }
    if libs.numba:
        theirs = [libs.numba.to_device(host) for _ in range(3)]
        launch = plain(libs.numba_kernels.vector_add, theirs)
        contenders["numba-cuda"] = launch, libs.numba.synchronize
    if libs.cupy:
        raw, arrays = (
            libs.make_raw_kernel("vector_add"),
            [libs.cupy.asarray(host) for _ in range(3)],
        )
        size = np.int32(256)
        contenders["CuPy RawKernel"] = (
            make_batch(lambda: raw((1,), (256,), (*arrays, size))),
            libs.cupy.cuda.runtime.deviceSynchronize,
        )
    times = measure_launches_in_turns(contenders)
    row = Row("host time of one launch, 3 device arrays", "us", times.pop("ours"), bar=3.6)
    row.note = f"{times.pop('kept'):.2f} us with k[grid, block] kept in a variable"
    row.peers = times
    yield row

    for name, library, make, back in list_foreign_arrays(libs):
        given = [make(host) for _ in range(3)]
        ours[1, 256](*given)
        heddle.synchronize()
        check(back(given[2]))
        contenders = {"ours": (plain(ours, given), heddle.synchronize)}
        if libs.numba:
            launch = plain(libs.numba_kernels.vector_add, given)
            contenders["numba-cuda"] = launch, libs.numba.synchronize
        times = measure_launches_in_turns(contenders)
        yield Row(f"host time of one launch, 3 {name}", "us", times.pop("ours"), times, bar=5)
        del library


def list_foreign_arrays(libs):
    if libs.cupy:
        yield "CuPy arrays", libs.cupy, libs.cupy.asarray, libs.cupy.asnumpy
    if libs.torch:
        torch = libs.torch
        yield (
            "torch tensors",
            torch,
            lambda host: torch.from_numpy(host.copy()).cuda(),
            lambda tensor: tensor.cpu().numpy(),
        )


def measure_host_array_rows(libs):
    """A launch with a host array, which is copied to the device and back."""
    for n, bar, words in (256, 35, "256-element"), (1_000_000, 450, "1e6-element float32"):
        array = np.zeros(n, np.float32)
        blocks = -(-n // 256)

        def call(kernel=libs.heddle_kernels.add_one, array=array, blocks=blocks):
            kernel[blocks, 256](array)

        call()
        np.testing.assert_array_equal(array, 1)
        row = Row(f"launch with one {words} host array, copied in and back", "us", 0.0, bar=bar)
        row.ours = measure_microseconds_per_call(call)
        if libs.numba:
            theirs = np.zeros(n, np.float32)
            row.peers["numba-cuda"] = measure_microseconds_per_call(
                lambda k=libs.numba_kernels.add_one, a=theirs, b=blocks: k[b, 256](a)
            )
        yield row


def measure_first_call_rows(libs):
    """Compilation of two kernels in new processes without caches."""
    for kernel, bar in ("vector_add", 40), ("tiled_matmul", 50):
        sides = ["heddle", *(["numba"] if libs.numba else []), *(["cupy"] if libs.cupy else [])]
        times = {side: measure_first_call(side, kernel) for side in sides}
        row = Row(
            f"first call of {kernel.replace('_', ' ')}, no cache", "ms", times["heddle"], bar=bar
        )
        names = {"numba": "numba-cuda", "cupy": "CuPy RawKernel"}
        row.peers = {names[side]: times[side] for side in sides[1:]}
        yield row


def measure_vector_add_rows(libs):
    n = 1 << 27
    rng = np.random.default_rng(1)
    part = rng.random((2, 1 << 20), np.float32)
    a, b = (np.tile(x, n >> 20) for x in part)
    heddle, blocks = libs.heddle, n // 256
    own = [heddle.to_device(a), heddle.to_device(b), heddle.device_array(n, np.float32)]
    kernel = libs.heddle_kernels.vector_add

    def launch():
        kernel[blocks, 256](*own)

    launch()
    np.testing.assert_array_equal(own[2].copy_to_host(), a + b)
    row = Row("vector add, 2^27 float32, kernel time", "us", 0.0, bar=385)
    row.ours = Events.of_cuda(heddle).measure_microseconds(launch)
    row.note = f"{3 * 4 * n / row.ours / 1e6:.2f} TB/s"
    if libs.numba:
        theirs = [libs.numba.as_cuda_array(x) for x in own]
        other = libs.numba_kernels.vector_add
        row.peers["numba-cuda"] = Events.of_cuda(libs.numba).measure_microseconds(
            lambda: other[blocks, 256](*theirs)
        )
    if libs.cupy:
        raw, arrays = libs.make_raw_kernel("vector_add"), [libs.cupy.asarray(x) for x in own]
        row.peers["CuPy RawKernel"] = Events.of_cupy(libs.cupy).measure_microseconds(
            lambda: raw((blocks,), (256,), (*arrays, np.int32(n)))
        )
    if libs.torch:
        tensors = [libs.torch.as_tensor(x, device="cuda") for x in own]
        row.peers["torch"] = Events.of_torch(libs.torch).measure_microseconds(
            lambda: libs.torch.add(tensors[0], tensors[1], out=tensors[2])
        )
    yield row


def measure_matmul_row(libs, name, shape, words, bar, reference, extra=(), shared=0, block=16):
    """A product of float32 matrices. bar: microseconds, or a factor of the CUDA C++ kernel's time; ``reference`` is
    used instead of that kernel if CuPy is not installed."""
    n, k, m = shape
    rng = np.random.default_rng(2)
    a, b = rng.random((n, k), np.float32), rng.random((k, m), np.float32)
    grid, threads = (-(-m // block), -(-n // block)), (block, block)
    heddle = libs.heddle
    own = [heddle.to_device(a), heddle.to_device(b), heddle.device_array((n, m), np.float32)]
    kernel = getattr(libs.heddle_kernels, name)
    repeats = 5 if n * m * k > 1e10 else 9

    def launch():
        kernel[grid, threads, 0, shared](*own, *extra)

    launch()
    some = rng.integers(0, n, 64)
    wanted = libs.heddle_kernels.dot(a[some], b)

    def check(result):
        np.testing.assert_allclose(result[some], wanted, rtol=1e-4)

    check(own[2].copy_to_host())
    row = Row(words, "us", Events.of_cuda(heddle).measure_microseconds(launch, repeats))
    if libs.cupy:
        raw, arrays = libs.make_raw_kernel(name), [libs.cupy.asarray(x) for x in own]
        sizes = [np.int32(x) for x in (n, m, k, *extra)]

        def raw_launch():
            raw(grid, threads, (*arrays, *sizes), shared_mem=shared)

        arrays[2].fill(0)
        raw_launch()
        check(libs.cupy.asnumpy(arrays[2]))
        row.peers["CUDA C++"] = Events.of_cupy(libs.cupy).measure_microseconds(raw_launch, repeats)
    if libs.numba:
        theirs = [libs.numba.as_cuda_array(x) for x in own]
        other = getattr(libs.numba_kernels, name)
        row.peers["numba-cuda"] = Events.of_cuda(libs.numba).measure_microseconds(
            lambda: other[grid, threads, 0, shared](*theirs, *extra), repeats
        )
    row.bar = bar if bar > 10 else bar * row.peers.get("CUDA C++", reference)
    return row


def measure_matmul_rows(libs):
    for n, naive, tiled in (1000, 326, 265), (4096, 25_800, 16_900):
        shape = (n, n, n)
        for name, words, reference in (
            ("naive_matmul", f"naive matmul, {n}, float32", naive),
            ("tiled_matmul", f"tiled matmul 16x16, {n}, float32", tiled),
        ):
            row = measure_matmul_row(libs, name, shape, words, 1.05, reference)
            yield row
            other = measure_matmul_row(
                libs, name + "_x_as_row", shape, words + ", x for rows", 1.1, 0
            )
            other.bar = 1.1 * row.ours
            yield other
    yield measure_matmul_row(
        libs,
        "dynamic_matmul",
        (5120, 256, 5120),
        "matmul in dynamic shared memory, 5120x256x5120, tile width 16 at run time",
        3500,
        0,
        extra=(16,),
        shared=8 * 16 * 16,
    )


def measure_histogram_rows(libs):
    n, bins = 1_000_000, 150
    x = np.random.default_rng(3).random(n, np.float32)
    low, high = np.float32(0), np.float32(1)
    heddle = libs.heddle
    own, counts = heddle.to_device(x), heddle.to_device(np.zeros(bins, np.int32))
    kernel = libs.heddle_kernels.histogram

    def launch():
        kernel[64, 64](own, low, high, counts)

    launch()
    found = counts.copy_to_host()
    inside = np.histogram(x, bins, (0, 1))[0]
    # A number on a bin's edge may be counted in either bin.
    np.testing.assert_allclose(found, inside, atol=40)
    assert n - 40 <= int(found.sum()) <= n
    row = Row("histogram of 1e6 float32 into 150 bins, [64, 64]", "us", 0.0, bar=150)
    row.ours = Events.of_cuda(heddle).measure_microseconds(launch)
    if libs.numba:
        theirs = [libs.numba.as_cuda_array(own), libs.numba.as_cuda_array(counts)]
        other = libs.numba_kernels.histogram
        row.peers["numba-cuda"] = Events.of_cuda(libs.numba).measure_microseconds(
            lambda: other[64, 64](theirs[0], low, high, theirs[1])
        )
    if libs.cupy:
        raw = libs.make_raw_kernel("histogram")
        arrays = [libs.cupy.asarray(own), libs.cupy.asarray(counts)]
        row.peers["CuPy RawKernel"] = Events.of_cupy(libs.cupy).measure_microseconds(
            lambda: raw(
                (64,), (64,), (arrays[0], np.int32(n), low, high, arrays[1], np.int32(bins))
            )
        )
    yield row


GROUPS = {
    "launch": measure_launch_rows,
    "foreign": measure_foreign_launch_rows,
    "graphs": measure_graph_rows,
    "host": measure_host_array_rows,
    "first": measure_first_call_rows,
    "add": measure_vector_add_rows,
    "matmul": measure_matmul_rows,
    "histogram": measure_histogram_rows,
    "algorithms": measure_algorithm_rows,
    "raw-launch": measure_raw_launch_rows,
    "raw-first": measure_raw_first_call_rows,
    "raw-kernels": measure_raw_kernel_rows,
}


# Output


def format_number(value):
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def format_line(row):
    peers = ", ".join(
        f"{name} {format_number(value)} ({row.compute_ratios()[name]:.2f}x)"
        for name, value in row.peers.items()
    )
    bar = "" if row.bar is None else f"at most {format_number(row.bar)}"
    note = f"  [{row.note}]" if row.note else ""
    return f"{row.what:<74} {format_number(row.ours):>9} {row.unit}  {bar:<16} {row.verdict:<5} {peers}{note}"


def describe_machine(libs):
    device = libs.heddle.get_current_device()
    version = libs.heddle.runtime.get_version()
    return {
        "date": datetime.date.today().isoformat(),
        "GPU": device.name if isinstance(device.name, str) else device.name.decode(),
        "CUDA driver": ".".join(map(str, version)) if isinstance(version, tuple) else str(version),
        "driver": read_driver_release(),
        "Python": platform.python_version(),
        **libs.list_versions(),
    }


def read_driver_release():
    try:
        with open("/proc/driver/nvidia/version") as file:
            words = file.readline().split()
        return next(word for word in words if word.count(".") >= 1 and word[0].isdigit())
    except (OSError, StopIteration):
        pass
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
        )
        return done.stdout.split()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return "?"


def format_markdown(rows, facts):
    about = ", ".join(
        f"{name} {value}" for name, value in facts.items() if name not in ("date", "GPU")
    )
    lines = [
        "# Benchmarks",
        "",
        textwrap.fill(
            f"`python benchmarks/gpu.py` measured this table in one run on {facts['date']}, on one {facts['GPU']} "
            f"({about}). All values are medians. Numbers in parentheses are times relative to Heddle. Events around "
            "back-to-back launches give kernel times, and a clock around a loop of launches gives host times.",
            width=100,
            break_on_hyphens=False,
        ),
        "",
        "| measure | Heddle | bar | | others |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        peers = "; ".join(
            f"{name} {format_number(value)} {row.unit} ({row.compute_ratios()[name]:.2f}x)"
            for name, value in row.peers.items()
        )
        bar = "" if row.bar is None else f"at most {format_number(row.bar)} {row.unit}"
        what = row.what + (f" ({row.note})" if row.note else "")
        lines.append(
            f"| {what} | {format_number(row.ours)} {row.unit} | {bar} | {row.verdict} | {peers} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help=f"groups of rows: {', '.join(GROUPS)}")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    groups = options.only.split(",") if options.only else list(GROUPS)
    unknown = [name for name in groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {', '.join(unknown)}: there are {', '.join(GROUPS)}")

    libs = Libraries()
    if libs.heddle.get_current_device().type != "cuda":
        sys.exit("the current device is not a GPU")
    facts = describe_machine(libs)
    print(", ".join(f"{name} {value}" for name, value in facts.items()))
    for reason in libs.missing:
        print(f"left out: {reason}")
    rows, failed = [], []
    for name in groups:
        try:
            for row in GROUPS[name](libs):
                rows.append(row)
                print(format_line(row), flush=True)
        except Exception as error:  # still run the other groups
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
    if options.json:
        table = [
            {**asdict(row), "verdict": row.verdict, "ratios": row.compute_ratios()} for row in rows
        ]
        options.json.write_text(json.dumps({"machine": facts, "rows": table}, indent=2) + "\n")
    if options.markdown:
        options.markdown.write_text(format_markdown(rows, facts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
