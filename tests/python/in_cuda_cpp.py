"""Helpers that tests of CUDA C++ code share."""

import shutil
import subprocess

import numpy as np

import heddle
from heddle import _heddle, cuda

_ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def run(source, *args, grid=1, block=1, options=()):
    """Run the kernel ``k`` of a program; NumPy array arguments hold its results afterwards."""
    there = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    heddle.RawKernel(source, "k", options)(grid, block, tuple(there))
    for given, used in zip(args, there):
        if isinstance(given, np.ndarray):
            used.copy_to_host(given)


def assemble_for_hopper(source, folder):
    """Compile a program for sm_90, and assemble the PTX if there is an assembler."""
    options = _heddle.CudaOptions(["-I", str(folder)])
    ptx, _, _ = _heddle.compile_cuda_ahead(source, "k.cu", options, [], "cuda", (9, 0), "asm")
    if _ptxas:
        (folder / "k.ptx").write_bytes(ptx)
        target = "sm_90a" if b".target sm_90a" in ptx else "sm_90"
        command = [_ptxas, "-O0", "-arch", target, folder / "k.ptx", "-o", folder / "k.cubin"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr
