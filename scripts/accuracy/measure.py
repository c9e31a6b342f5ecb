"""Measures the errors of mathematical functions.

    python scripts/accuracy/measure.py --devices cpu,cuda -o docs/accuracy.md

float32, one argument: all 2^32 inputs, or every --step-th. float64 and two arguments: --samples random inputs and all
pairs of corner cases. reference.cpp, which g++ compiles first, has the references. Needs heddle, NumPy and g++.
"""

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from functions import BINARY, DOMAINS, UNARY  # noqa: E402

import heddle  # noqa: E402
from heddle import cuda  # noqa: E402

_chunk = 1 << 24
_kernels = """
extern "C" __global__ void evaluate(const {type}* x, const {type}* y, {type}* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = {call};
}}
"""
_kernel_of_every = """
extern "C" __global__ void every(unsigned first, unsigned step, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = {name}f(__uint_as_float(first + i * step));
}}
"""


class Result(ctypes.Structure):
    """``Result`` of reference.cpp."""

    _fields_ = [
        *((name, ctypes.c_double) for name in ("worst", "at", "at2", "found")),
        *((name, ctypes.c_double) for name in ("absolute", "absolute_at")),
        ("wrong", ctypes.c_uint64),
        *((name, ctypes.c_double) for name in ("wrong_at", "wrong_at2")),
        ("count", ctypes.c_uint64),
    ]


def reference():
    """reference.cpp as a library."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libreference.so"
        options = ["-O2", "-std=gnu++17", "-shared", "-fPIC", "-ffp-contract=off"]
        command = ["g++", *options, HERE / "reference.cpp", "-o", library, "-lquadmath"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))


class Measured:
    """A function on devices, and its results there. name: C's, without the f of float's."""

    def __init__(self, library, devices, name, dtype):
        self.library, self.devices, self.name, self.dtype = library, devices, name, np.dtype(dtype)
        self.two = name in BINARY
        is_float = self.dtype == np.float32
        call = f"{name}{'f' if is_float else ''}({'x[i], y[i]' if self.two else 'x[i]'})"
        source = _kernels.format(type="float" if is_float else "double", call=call)
        if is_float and not self.two:
            source += _kernel_of_every.format(name=name)
        self.module = heddle.RawModule(code=source)
        self.compare = library.compareFloats if is_float else library.compareDoubles
        self.results = (Result * len(devices))()

    def add(self, x, y=None):
        """Compares at these arguments: arrays of the dtype."""
        n = len(x)
        second = x if y is None else y
        found = [self._run(d, "evaluate", [x, second], n) for d in self.devices]
        pointers = [None if a is None else ctypes.c_void_p(a.ctypes.data) for a in (x, y)]
        self._compare(self.compare, pointers, n, found)

    def add_every(self, first, step, n):
        """Compares at n floats: those whose bits are first, first + step and so on."""
        numbers = [np.uint32(first), np.uint32(step)]
        found = [self._run(d, "every", numbers, n) for d in self.devices]
        pointers = [ctypes.c_uint32(first), ctypes.c_uint32(step)]
        self._compare(self.library.compareEveryFloat, pointers, n, found)

    def _run(self, device, kernel, arguments, n):
        """What a kernel leaves in an array of n elements on a device."""
        with device:
            if device.type == "cpu":
                out = np.empty(n, self.dtype)
            else:
                arguments = [a if np.isscalar(a) else cuda.to_device(a) for a in arguments]
                out = cuda.device_array(n, self.dtype)
            launch = self.module.get_function(kernel)
            launch((-(-n // 256),), (256,), (*arguments, out, np.int32(n)))
            cuda.synchronize()
            return out if device.type == "cpu" else out.copy_to_host()

    def _compare(self, function, inputs, n, found):
        pointers = (ctypes.c_void_p * len(found))(*(a.ctypes.data for a in found))
        function.restype = ctypes.c_bool
        count = ctypes.c_uint(len(found))
        name = self.name.encode()
        if not function(name, *inputs, ctypes.c_uint64(n), pointers, count, self.results):
            raise SystemExit(f"reference.cpp has no {self.name}")


def corner_cases(dtype):
    """Numbers at which functions change, and their neighbours."""
    info = np.finfo(dtype)
    some = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 8.0, 10.0, 88.0, 103.0, 127.0, 128.0, 149.0, 709.0]
    some += [745.0, 1023.0, 1024.0, 1e5, 2.0**23, 2.0**24, 2.0**31, 2.0**52, 2.0**53, 1e22]
    some += [np.pi / 4, np.pi / 2, np.pi, 2 * np.pi, 1e-3, 1e-5, 1e-10, 0.1, 0.7, 1 / 3]
    some += [info.tiny, info.smallest_subnormal, info.max, info.eps, np.inf]
    values = np.array(some, dtype)
    with np.errstate(over="ignore"):
        values = np.concatenate(
            [values, np.nextafter(values, dtype(0)), np.nextafter(values, dtype(np.inf))]
        )
    return np.unique(np.concatenate([values, -values, np.array([np.nan], dtype)]))


# Where exponential functions of float and double overflow and underflow.
_limits = [38.5, 45.0, 88.7, 103.9, 128.0, 149.0, 308.2, 323.3, 709.8, 710.5, 745.1, 1024.0, 1074.0]


def samples(dtype, count, random):
    """Random numbers: of every exponent, near 1, and where exponential functions overflow; a third each."""
    bits = np.uint32 if dtype is np.float32 else np.uint64
    third = count // 3
    every = random.integers(0, np.iinfo(bits).max, count - 2 * third, bits, endpoint=True)
    near = random.standard_normal(third) * 10.0 ** random.uniform(-3, 2, third)
    limits = random.choice(_limits, third) + random.standard_normal(third)
    limits *= random.choice([-1, 1], third)
    return np.concatenate([every.view(dtype), near.astype(dtype), limits.astype(dtype)])


def measure_every(measured, step):
    """All floats, or every step-th."""
    for first in range(0, 1 << 32, _chunk * step):
        measured.add_every(first, step, -(-(min(first + _chunk * step, 1 << 32) - first) // step))
    measured.add(corner_cases(np.float32))


def measure_samples(measured, count):
    dtype = measured.dtype.type
    random = np.random.default_rng(20261)
    corners = corner_cases(dtype)
    if measured.two:
        x, y = np.meshgrid(corners, corners)
        measured.add(x.ravel().copy(), y.ravel().copy())
    else:
        measured.add(corners)
    while count > 0:
        n = min(count, _chunk // 4)
        count -= n
        x = samples(dtype, n, random)
        if measured.two:
            y = samples(dtype, n, random)
            random.shuffle(y)
            measured.add(x, y)
        else:
            measured.add(x)


def jobs(options):
    """What to measure: heading, functions, dtype, and how."""
    step, count = options.step, options.samples
    inputs = "all 2^32 inputs" if step == 1 else f"one in {step} of the 2^32 inputs"
    sampled = f"{count:,} random inputs and corner cases"
    return [
        (f"float32: {inputs}", UNARY, np.float32, lambda m: measure_every(m, step)),
        (f"float64: {sampled}", UNARY, np.float64, lambda m: measure_samples(m, count)),
        (
            f"float32, two arguments: {sampled}",
            BINARY,
            np.float32,
            lambda m: measure_samples(m, count),
        ),
        (
            f"float64, two arguments: {sampled}",
            BINARY,
            np.float64,
            lambda m: measure_samples(m, count),
        ),
    ]


def bound_of(name, dtype):
    return (UNARY | BINARY)[name][0 if dtype is np.float32 else 1]


def is_over(name, dtype, result):
    """Whether a result is outside of CUDA's bounds."""
    absolute = DOMAINS[name][1 if dtype is np.float32 else 2] if name in DOMAINS else None
    return (
        result.worst > bound_of(name, dtype) + 0.5 + 1e-6
        or result.wrong > 0
        or (absolute is not None and result.absolute > absolute)
    )


def described(name, dtype, result):
    """The line that a run prints."""
    text = f"{name:14} {result.worst:8.3f} ulp (CUDA {bound_of(name, dtype)})"
    text += f" at {result.at!r}" + (f", {result.at2!r}" if name in BINARY else "")
    if result.absolute:
        text += f"; elsewhere {result.absolute:.2g} at {result.absolute_at!r}"
    if result.wrong:
        text += f"; {result.wrong} NaNs in the wrong place: {result.wrong_at!r}"
        text += f", {result.wrong_at2!r}" if name in BINARY else ""
    return text + ("  OVER" if is_over(name, dtype, result) else "")


def table(heading, functions, dtype, columns):
    """Markdown. columns: results by name, by device."""
    lines = [f"## {heading}", ""]
    lines.append("| function | CUDA's bound | " + " | ".join(columns) + " |")
    lines.append("| --- | ---: |" + " ---: |" * len(columns))
    for name in functions:
        row = [f"`{name}{'f' if dtype is np.float32 else ''}`", str(bound_of(name, dtype))]
        found = [results[name] for results in columns.values() if name in results]
        if not found:
            continue
        row += [f"{r.worst:.2f}{' **over**' if is_over(name, dtype, r) else ''}" for r in found]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


_introduction = """# Accuracy of mathematical functions

`python scripts/accuracy/measure.py` measures the errors below and writes this page; do not edit it. An error is the
largest distance between a result and the exact value, in units in the last place (ulps) of the result's type. CUDA's
bound is the one of the CUDA C++ Programming Guide. It counts from the exact value *rounded* to the type: up to half a
unit more may lie between a result within the bound and the exact value. So 0.50 is a correctly rounded function.

The references are glibc's double functions for float32 and libquadmath's for float64, and formulas in the same types
for functions that these libraries lack. Their error is below 10^-6 ulp: it decides only which number is nearer to a
value in the middle of two. Results that are infinite count as the next power of two. Inputs with NaN results must give
NaN and no others may; a function that breaks this is marked, too. `-use_fast_math` and intrinsics with reduced accuracy
(`__sinf` and others) are not in the tables.

The bounds of `j0`, `j1`, `y0` and `y1` hold for |x| <= 8. Beyond, CUDA bounds the absolute error by 2.2e-6 for float
and 5e-12 for double, and these functions are marked if it is larger. The bound of `lgamma` holds outside of
(-10.001, -2.264), where the function has zeros.
"""


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", default="cpu", help="of each type the first: cpu,cuda")
    parser.add_argument("--step", type=int, default=1, help="every step-th float32 (1: all)")
    parser.add_argument(
        "--samples", type=int, default=100_000_000, help="of each other function (10^8)"
    )
    parser.add_argument("--functions", help="names, separated by commas; all by default")
    parser.add_argument("-o", "--output", type=Path, help="the page to write")
    return parser.parse_args()


def main():
    options = parse_arguments()
    library = reference()
    devices = []
    for name in options.devices.split(","):
        matching = [device for device in cuda.all_devices() if device.type == name]
        if not matching:
            raise SystemExit(f"there is no device of type {name} here")
        devices.append(matching[0])
    wanted = options.functions.split(",") if options.functions else None
    labels = [f"CPU ({d.name})" if d.type == "cpu" else d.name for d in devices]
    page, over = _introduction, 0
    for heading, functions, dtype, measure in jobs(options):
        print(heading, flush=True)
        columns = {label: {} for label in labels}
        for name in functions:
            if wanted and name not in wanted:
                continue
            begin = time.monotonic()
            measured = Measured(library, devices, name, dtype)
            measure(measured)
            seconds = time.monotonic() - begin
            for device, label, result in zip(devices, labels, measured.results, strict=True):
                columns[label][name] = result
                over += is_over(name, dtype, result)
                print(
                    f"  {device.type:4} {described(name, dtype, result)}  {seconds:.1f} s",
                    flush=True,
                )
        page += "\n" + table(heading, functions, dtype, columns)
    if options.output:
        options.output.write_text(page)
    print(f"{over} functions are outside of CUDA's bounds")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
