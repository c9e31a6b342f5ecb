"""Kernels in both languages without a CUDA toolkit on any path, and the files that the process opens."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda

PROGRAM = r"""
import numpy as np
import heddle
from heddle import cuda

@cuda.jit
def roots(x):
    i = cuda.grid(1)
    x[i] = x[i] ** 0.5

halves = heddle.RawKernel('''
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cuda/std/limits>
__global__ void halves(double* x) {
  auto block = cooperative_groups::this_thread_block();
  x[block.thread_rank()] = pow(x[block.thread_rank()], 2.0) * __half2float(__float2half(0.25f));
}''', "halves")

x = cuda.to_device(np.arange(4.0) + 1)
halves(1, 4, (x,))
roots[1, 4](x)
print(*x.copy_to_host())
for line in open("/proc/self/maps"):
    print(line.split()[-1])
"""

# The driver's own libraries have other names.
OF_A_TOOLKIT = re.compile(
    r"(\.h|\.hpp|\.cuh|libdevice[^/]*\.bc|/nvcc|/ptxas|/nvlink|/cicc|/fatbinary)$|"
    r"/lib(cudart|nvrtc|nvvm|nvJitLink|nvptxcompiler|cublas|curand)[^/]*\.so[^/]*$"
)


def drivers_folder():
    """The folder of this process's driver, if it has one: on some machines only LD_LIBRARY_PATH names it."""
    libraries = (line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines())
    return next((str(Path(path).parent) for path in libraries if "/libcuda.so" in path), "")


@pytest.fixture
def bare_environment(device, tmp_path):
    """The environment of a machine with Python, and with a driver if there is a GPU."""
    wanted = {"HOME", "HEDDLE_LIBCUDA"}
    sanitizers = {
        "LD_PRELOAD",
        "ASAN_OPTIONS",
        "TSAN_OPTIONS",
    }  # a build with one loads with it alone
    return {
        **{name: os.environ[name] for name in wanted | sanitizers if name in os.environ},
        "PATH": "",
        "LD_LIBRARY_PATH": drivers_folder(),
        "PYTHONPATH": str(Path(heddle.__file__).parent.parent),
        "HEDDLE_DEVICE": device.type,
        "HEDDLE_CACHE_DIR": str(tmp_path / "cache"),
    }


def run(command, environment, folder):
    (folder / "program.py").write_text(PROGRAM)
    return subprocess.run(
        [*command, sys.executable, "program.py"],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_kernels_run_without_a_toolkit(bare_environment, tmp_path):
    result = run([], bare_environment, tmp_path)
    results, *libraries = result.stdout.splitlines()
    assert (result.stderr, results) == ("", "0.5 1.0 1.5 2.0")
    assert [library for library in libraries if OF_A_TOOLKIT.search(library)] == []


def test_no_file_of_a_toolkit_is_opened_and_no_program_started(bare_environment, tmp_path):
    strace = shutil.which("strace")
    if not strace or subprocess.run([strace, "-qq", sys.executable, "-c", ""]).returncode:
        pytest.skip("strace, which shows what a process opens, is not here")
    log = tmp_path / "log"
    tracing = [strace, "-f", "-qq", "-o", log, "-e", "trace=open,openat,execve"]
    result = run(tracing, bare_environment, tmp_path)
    calls = [call for call in log.read_text().splitlines() if " = -1 " not in call]
    opened = [path for call in calls for path in re.findall(r'"([^"]+)"', call)[:1]]
    assert result.returncode == 0 and any("/_heddle" in path for path in opened)
    assert [path for path in opened if OF_A_TOOLKIT.search(path)] == []
    started = {Path(path).name for path in re.findall(r'execve\("([^"]+)"', "\n".join(calls))}
    assert started <= {Path(sys.executable).name, "nvidia-modprobe"}  # the driver's own


def test_the_compiler_sees_no_file_of_the_disk(device, tmp_path, monkeypatch):
    (tmp_path / "near.h").write_text("#define NEAR 1")
    monkeypatch.chdir(tmp_path)
    source = f"""
    #if __has_include("near.h") || __has_include("{tmp_path}/near.h")
    const int files = 1;
    #elif __has_include(<cuda_fp16.h>)
    const int files = 0;
    #endif
    __global__ void k(int* x) {{ x[0] = files; }}"""
    x = cuda.to_device(np.full(1, 9, "i4"))
    heddle.RawKernel(source, "k")(1, 1, (x,))
    assert x.copy_to_host()[0] == 0
