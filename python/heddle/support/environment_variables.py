"""The environment variables that Heddle reads, by topic, with their meanings. ``heddle doctor`` knows them, and
docs/api/settings.md lists them."""

from typing import NamedTuple


class Variable(NamedTuple):
    """A variable. page: the page and heading in docs that describe it, if any."""

    name: str
    meaning: str
    page: str = ""


VARIABLES = {
    "Devices": [
        Variable(
            "HEDDLE_DEVICE",
            "the default device: `cpu`, `cuda` or `cuda:<number>`",
            "gpus.md#choosing-a-device",
        ),
        Variable(
            "HEDDLE_NUM_THREADS",
            "the number of threads of the CPU device and of `prange` loops; by default one per processor",
        ),
        Variable(
            "HEDDLE_CPU",
            "the x86-64 target of the CPU device and of host functions: `x86-64-v3` (AVX2), `x86-64-v2` (SSE 4.2) or "
            "another LLVM CPU name that the machine supports",
        ),
        Variable(
            "HEDDLE_WIDTH",
            "the number of threads that the CPU device runs together as vectors: 1 (scalar), 4, 8, 16 or 32",
        ),
        Variable(
            "HEDDLE_EXIT_TIMEOUT",
            "seconds that a program waits at exit for kernels on the CPU device; by default 10",
        ),
        Variable("HEDDLE_LIBCUDA", "the path of the driver library, if it is not `libcuda.so.1`"),
        Variable(
            "HEDDLE_PTX_OPTIMIZATION",
            "the optimization level of the driver's assembler, 0 to 4: shows whether its optimizer breaks a kernel",
        ),
    ],
    "Compilation and cache": [
        Variable(
            "HEDDLE_CACHE_DIR",
            "where `cache=True` keeps compiled kernels; a folder that only you can write",
        ),
        Variable(
            "HEDDLE_CACHE_MAXSIZE",
            "the size limit of the cache: bytes, or with a suffix, as in `500M`; by default `1G`",
        ),
        Variable(
            "HEDDLE_PROGRESS",
            "seconds of compilation after which a line on the terminal says what is being compiled; by default 1; "
            "0: never",
        ),
        Variable("HEDDLE_OPT", "0: compiles kernels without optimization unless they pass `opt`"),
        Variable(
            "HEDDLE_DISABLE_JIT",
            "1: kernels and host functions run as plain Python",
            "whole_programs.md#kernels-as-plain-python",
        ),
        Variable(
            "HEDDLE_CUDA_NVRTC_EXTRA_SEARCH_PATHS",
            "include folders, separated by colons, for CUDA C++ that Python kernels link",
        ),
    ],
    "Finding mistakes": [
        Variable(
            "HEDDLE_CHECK",
            "1: checks kernels for races and invalid accesses, on the CPU device",
            "check.md#for-a-whole-process",
        ),
        Variable("HEDDLE_CHECK_LINTS", "0: checks do not look for slow code", "check.md#slow-code"),
        Variable(
            "HEDDLE_REPLAY",
            "1 or a folder: records launches that fail on a GPU, for `heddle check FILE`",
            "check.md#failures-on-a-gpu",
        ),
        Variable(
            "HEDDLE_WARNINGS",
            "1: compiling a kernel warns of lossy conversions, such as `range(x / 2)`",
        ),
        Variable(
            "HEDDLE_BOUNDS",
            "0: kernels compiled from then on do not check indices on the CPU device",
        ),
        Variable(
            "HEDDLE_BOUNDSCHECK",
            "1 or 0: turns index checks in host functions on or off, whatever their decorators say",
        ),
        Variable("HEDDLE_CUDA_DEBUGINFO", "1: compiles kernels with `debug=True` by default"),
        Variable("HEDDLE_FULL_TRACEBACKS", "1: tracebacks show the frames in Heddle"),
        Variable(
            "HEDDLE_CUDA_LOW_OCCUPANCY_WARNINGS",
            "1: a launch of fewer than 128 blocks warns (`NumbaPerformanceWarning`)",
        ),
        Variable("HEDDLE_CUDA_WARN_ON_IMPLICIT_COPY", "1: a launch with a NumPy array warns"),
    ],
    "Programs written for numba": [
        Variable(
            "HEDDLE_ENABLE_CUDASIM",
            "1: kernels run on the CPU device, or as plain Python if they do not compile",
        ),
        Variable("HEDDLE_DISABLE_CUDA", "1: `cuda.is_available()` is False"),
        Variable(
            "HEDDLE_CUDA_ARRAY_INTERFACE_SYNC",
            "0: `as_cuda_array` does not wait for the stream that an array names",
        ),
        Variable(
            "HEDDLE_CUDA_MEMORY_MANAGER",
            "the module of an external memory manager",
            "gpus.md#where-data-is",
        ),
        Variable(
            "HEDDLE_CUDA_PER_THREAD_DEFAULT_STREAM",
            "1: work that names no stream uses the per-thread default stream",
        ),
    ],
}

# Variables that Heddle sets for processes that it starts, and for its tests.
INTERNAL_VARIABLES = ("HEDDLE_CHECK_FOLDER", "HEDDLE_VERIFY")


def list_documented_names():
    """The names in VARIABLES."""
    return {variable.name for rows in VARIABLES.values() for variable in rows}
