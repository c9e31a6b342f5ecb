"""Compares the register counts of well-known kernels with nvcc's for the same CUDA C++ kernels."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from test_filecheck import GPUS, HERE, find_heddle_opt, find_ptxas

CUDA = r"""
extern "C" __global__ void vadd(const float *__restrict__ a, const float *__restrict__ b,
                                float *__restrict__ c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void matmul(const float *__restrict__ a, const float *__restrict__ b,
                                  float *__restrict__ c, int rows, int columns, int inner) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns)
    return;
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < inner; ++k)
    sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

extern "C" __global__ void tiled(const float *__restrict__ a, const float *__restrict__ b,
                                 float *__restrict__ c, int rows, int columns, int inner) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty;
  float sum = 0;
  for (int i = 0; i < (inner + 15) / 16; ++i) {
    as[ty][tx] = 0;
    bs[ty][tx] = 0;
    if (y < rows && tx + i * 16 < inner)
      as[ty][tx] = a[y * inner + tx + i * 16];
    if (x < columns && ty + i * 16 < inner)
      bs[ty][tx] = b[(ty + i * 16) * columns + x];
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  if (y < rows && x < columns)
    c[y * columns + x] = sum;
}

extern "C" __global__ void hist(const float *__restrict__ x, int n, float low, float high,
                                int *__restrict__ out, int bins) {
  __shared__ int counts[150];
  double width = double(high - low) / bins;
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int b = int(double(x[i] - low) / width);
    if (b >= 0 && b < bins)
      atomicAdd(&counts[b], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    atomicAdd(&out[b], counts[b]);
}
"""

# Maximum ratio of a kernel's registers to nvcc's. The histogram's loops have a step: a Python range() computes its trip
# count in advance, with a 64-bit division.
LIMITS = {"vector_add": 1.25, "naive_matmul": 1.25, "tiled_matmul": 1.25, "histogram": 1.5}


def parse_resources(log):
    """Returns the registers and spilled bytes of each kernel in the output of `ptxas -v`."""
    found = {}
    for kernel, report in re.findall(r"entry function '(\w+)'((?:(?!entry function).|\n)*)", log):
        registers = int(re.search(r"Used (\d+) registers", report)[1])
        spilled = sum(map(int, re.findall(r"(\d+) bytes spill", report)))
        found[kernel] = (registers, spilled)
    return found


def run_checked(command):
    # nvcc crashes if a sanitizer is preloaded into Python.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module", params=GPUS, ids=lambda sm: f"sm_{sm}")
def nvcc_resources(request, tmp_path_factory):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc or not find_ptxas():
        pytest.skip("nvcc is missing: it comes with a CUDA toolkit")
    folder = tmp_path_factory.mktemp("nvcc")
    source = folder / "kernels.cu"
    source.write_text(CUDA)
    arch = f"-arch=sm_{request.param}"
    log = run_checked(
        [nvcc, arch, "-cubin", "-Xptxas=-v", str(source), "-o", str(folder / "k.cubin")]
    )
    return request.param, parse_resources(log)


@pytest.mark.parametrize("name", LIMITS)
def test_a_kernel_needs_few_registers_and_spills_none(name, nvcc_resources, tmp_path: pathlib.Path):
    gpu, theirs = nvcc_resources
    heddle_opt = find_heddle_opt()
    if not heddle_opt:
        pytest.skip("heddle-opt is not built: configure with -DHEDDLE_TOOLS=ON")
    ptx = tmp_path / "kernel.ptx"
    run_checked([heddle_opt, "-ptx", f"-sm={gpu}", str(HERE / f"nvptx/{name}.ll"), "-o", str(ptx)])
    log = run_checked(
        [find_ptxas(), "-v", f"-arch=sm_{gpu}", str(ptx), "-o", str(tmp_path / "k.cubin")]
    )
    ours = parse_resources(log)
    assert ours
    for kernel, (registers, spilled) in ours.items():
        assert spilled == 0
        assert registers <= LIMITS[name] * theirs[kernel][0], (registers, theirs[kernel])
