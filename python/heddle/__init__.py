"""GPU kernels written in Python, compiled for the CPU and for NVIDIA GPUs, with numba.cuda's names.

from heddle import cuda

@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]

add.forall(out.size)(a, b, out)
"""

import importlib

from heddle import errors
from heddle.errors import (
    CompileError,
    CudaSupportError,
    HeddleError,
    InternalError,
    KernelRuntimeError,
    LoweringError,
    TypingError,
    UnsupportedError,
)

__all__ = [
    "CompileError",
    "CudaSupportError",
    "HeddleError",
    "InternalError",
    "KernelRuntimeError",
    "LoweringError",
    "RawKernel",
    "RawModule",
    "TypingError",
    "UnsupportedError",
    "benchmark",
    "cuda",
    "errors",
    "typeof",
    "types",
]

# Loading the compiler takes a while: what needs it is loaded when it is asked for first.
_modules = ("cuda", "types", "config", "compat", "cli")


def typeof(value):
    """The type that a kernel sees when ``value`` is its argument. Raises TypeError when it cannot be one."""
    from heddle import _heddle

    return _heddle.typeof(value)


def load_ipython_extension(shell):
    """``%load_ext heddle``: from here on ``numba`` and ``numba.cuda`` are heddle's in this session."""
    from heddle import compat

    compat.install()


def unload_ipython_extension(shell):
    """``%unload_ext heddle``: the names that were imported before keep meaning heddle's."""
    from heddle import compat

    compat.uninstall()


def __getattr__(name):
    if name in _modules:
        return importlib.import_module(f"heddle.{name}")
    if name in ("RawKernel", "RawModule"):
        return getattr(importlib.import_module("heddle.raw"), name)
    if name == "benchmark":
        from heddle.benchmarking import benchmark

        return benchmark
    if name == "__version__":
        from heddle import _heddle

        return _heddle.__version__
    if not name.startswith("_"):
        from heddle import types

        if name in types.type_names or name == "from_dtype":
            return getattr(types, name)
        if name in ("carray", "farray"):
            from heddle.intrinsics import intrinsic

            return intrinsic(f"heddle.{name}")
    from heddle.missing_names import missing_name

    raise missing_name("heddle", name)


def __dir__():
    from heddle import types

    return sorted({*globals(), *_modules, "__version__", *types.type_names})
