"""Compiles and loads cpu_peers.cpp, the same work in C++ with OpenMP."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("cpu_peers.cpp")
OPTIONS = ["-O3", f"-march={os.environ.get('HEDDLE_CPU', 'native')}", "-fopenmp"]


def compile_peers(folder):
    """Compile the library for this processor into the folder. Returns its path and the compiler's name."""
    library = Path(folder) / "peers.so"
    for compiler in ("clang++-22", "g++"):
        if shutil.which(compiler):
            command = [compiler, *OPTIONS, "-shared", "-fPIC", SOURCE, "-o", library]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return library, compiler
    sys.exit("no C++ compiler with OpenMP: install clang-22 and libomp-22-dev")


def get_pointer(array):
    return ctypes.c_void_p(array.ctypes.data)
