"""Compares Heddle's RawKernel with CuPy's, which compiles with NVRTC: the same source, launched in the same way."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from gpu_first_call import extract_kernel_source, measure_first_call
from gpu_timing import Events, Row, measure_kernels_in_turns, measure_launches_in_turns

# Relative to NVRTC's time.
KERNEL_BAR = 1.03
NVRTC = "CuPy (NVRTC)"

HISTOGRAMS = r"""
extern "C" __global__ void in_global_memory(const int *x, int n, int *counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[x[i] & 255], 1);
}

extern "C" __global__ void in_shared_memory(const int *x, int n, int *counts) {
  __shared__ int mine[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[x[i] & 255], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    atomicAdd(&counts[bin], mine[bin]);
}
"""


class Pair:
    """A kernel in both libraries, and the arrays of each."""

    def __init__(self, libs, source, name, arguments, grid, block):
        import heddle

        def on_device(copy):
            return tuple(copy(a) if isinstance(a, np.ndarray) else a for a in arguments)

        self.libs, self.given = libs, (grid, block)
        self.ours = heddle.RawKernel(source, name)
        self.our_arguments = on_device(libs.heddle.to_device)
        if libs.cupy:
            self.theirs = libs.cupy.RawKernel(source, name)
            self.their_arguments = on_device(libs.cupy.asarray)

    def launch(self):
        self.ours(*self.given, self.our_arguments)

    def launch_theirs(self):
        self.theirs(*self.given, self.their_arguments)

    def check(self, which, wanted, some=slice(None), rtol=0.0):
        """Launch once in both libraries and compare the rows ``some`` of argument ``which`` with ``wanted``."""
        self.launch()
        found = [self.our_arguments[which].copy_to_host()]
        if self.libs.cupy:
            self.launch_theirs()
            found.append(self.libs.cupy.asnumpy(self.their_arguments[which]))
        for result in found:
            np.testing.assert_allclose(result[some], wanted, rtol=rtol)

    def measure_kernel_row(self, what):
        contenders = [(Events.of_cuda(self.libs.heddle), self.launch)]
        if self.libs.cupy:
            contenders.append((Events.of_cupy(self.libs.cupy), self.launch_theirs))
        ours, *theirs = measure_kernels_in_turns(contenders)
        row = Row(f"RawKernel: {what}", "us", ours, dict(zip([NVRTC], theirs, strict=False)))
        row.bar = KERNEL_BAR * theirs[0] if theirs else None
        return row


def make_vector_add_pair(libs, n):
    a, b = np.random.default_rng(1).random((2, min(n, 1 << 20)), np.float32)
    a, b = (np.tile(x, n // x.size) for x in (a, b))
    source = extract_kernel_source(libs.heddle_kernels.CUDA_CPP, "vector_add")
    arguments = (a, b, np.zeros_like(a), np.int32(n))
    pair = Pair(libs, source, "vector_add", arguments, (n // 256,), (256,))
    pair.check(2, a + b)
    return pair


def make_driver_launches():
    """A function that calls cuLaunchKernel n times in C++; None if there is no C++ compiler or it fails."""
    compiler = shutil.which("c++")
    if not compiler:
        return None
    source = Path(__file__).parent / "driver_launch.cpp"
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "driver_launch.so"
        subprocess.run(
            [compiler, "-O2", "-fPIC", "-shared", source, "-ldl", "-o", library], check=True
        )
        driver = ctypes.CDLL(library)
    driver.prepare.restype = ctypes.c_bool
    return driver.launch if driver.prepare() else None


def measure_raw_launch_rows(libs):
    pair = make_vector_add_pair(libs, 256)
    grid, block = pair.given

    def batch(kernel, arguments):
        def launch(count):
            for _ in range(count):
                kernel(grid, block, arguments)

        return launch

    contenders = {"ours": (batch(pair.ours, pair.our_arguments), libs.heddle.synchronize)}
    if libs.cupy:
        wait = libs.cupy.cuda.runtime.deviceSynchronize
        contenders["CuPy"] = batch(pair.theirs, pair.their_arguments), wait
    driver = make_driver_launches()
    if driver:
        contenders["the driver alone, called from C++"] = driver, libs.heddle.synchronize
    times = measure_launches_in_turns(contenders)
    what = "RawKernel: host time of one launch, 3 device arrays and an int"
    row = Row(what, "us", times.pop("ours"), times)
    if driver:
        row.bar = 1.15 * times["the driver alone, called from C++"]
    yield row


def measure_raw_first_call_rows(libs):
    for kernel, bar in ("vector_add", 30), ("tiled_matmul", None):
        row = Row(
            f"RawKernel: first call of {kernel.replace('_', ' ')}, no cache", "ms", 0.0, bar=bar
        )
        row.ours = measure_first_call("raw", kernel)
        if libs.cupy:
            row.peers[NVRTC] = measure_first_call("cupy", kernel)
        yield row


def measure_raw_kernel_rows(libs):
    yield make_vector_add_pair(libs, 1 << 27).measure_kernel_row("vector add, 2^27 float32")
    rng = np.random.default_rng(2)
    for n in 1000, 4096:
        a, b = rng.random((2, n, n), np.float32)
        some = rng.integers(0, n, 64)
        for name in "naive_matmul", "tiled_matmul":
            source = extract_kernel_source(libs.heddle_kernels.CUDA_CPP, name)
            arguments = (a, b, np.zeros_like(a), *(np.int32(n),) * 3)
            blocks = -(-n // 16)
            pair = Pair(libs, source, name, arguments, (blocks, blocks), (16, 16))
            pair.check(2, libs.heddle_kernels.dot(a[some], b), some, rtol=1e-4)
            row = pair.measure_kernel_row(f"{name.replace('_', ' ')}, {n}, float32")
            yield row
            name += "_x_as_row"
            source = extract_kernel_source(libs.heddle_kernels.CUDA_CPP, name)
            pair = Pair(libs, source, name, arguments, (blocks, blocks), (16, 16))
            pair.check(2, libs.heddle_kernels.dot(a[some], b), some, rtol=1e-4)
            other = pair.measure_kernel_row(f"{name.replace('_', ' ')}, {n}, float32")
            other.bar = 1.1 * row.ours
            yield other
    x = rng.integers(0, 256, 1 << 25, np.int32)
    for name in "in_global_memory", "in_shared_memory":
        arguments = (x, np.int32(x.size), np.zeros(256, np.int32))
        pair = Pair(libs, HISTOGRAMS, name, arguments, (1056,), (256,))
        pair.check(2, np.bincount(x, minlength=256))
        yield pair.measure_kernel_row(f"histogram {name.replace('_', ' ')}, 2^25 int32, 256 bins")
