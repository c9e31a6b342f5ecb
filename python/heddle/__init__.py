"""GPU kernels written in Python, compiled for the CPU and for NVIDIA GPUs. The API is that of numba.cuda.

from heddle import cuda

@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]

add.forall(out.size)(a, b, out)
"""

import importlib
import os

from heddle import errors
from heddle.errors import (
    CheckError,
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
    "CheckError",
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
    "carray",
    "cfunc",
    "check",
    "cuda",
    "errors",
    "farray",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
    "guvectorize",
    "jit",
    "jit_module",
    "njit",
    "objmode",
    "parallel_chunksize",
    "prange",
    "set_num_threads",
    "set_parallel_chunksize",
    "stencil",
    "threading_layer",
    "typeof",
    "types",
    "vectorize",
]

# `import heddle` loads neither NumPy nor the compiler: __getattr__ loads modules on first use.
_modules = ("cuda", "types", "typed", "experimental", "extending", "config", "compat", "cli")
_module_of = {
    "RawKernel": "raw",
    "RawModule": "raw",
    "__version__": "_heddle",
    "benchmark": "benchmarking",
    "cfunc": "compiler.c_function",
    "check": "checking.check",
    "from_dtype": "types",
    "get_num_threads": "compiler.rewriting.parallel_threads",
    "get_parallel_chunksize": "compiler.rewriting.parallel_threads",
    "get_thread_id": "compiler.rewriting.parallel_threads",
    "guvectorize": "ufuncs.guvectorized",
    "jit": "compiler.host_jit",
    "jit_module": "compiler.host_jit",
    "njit": "compiler.host_jit",
    "objmode": "compiler.rewriting.object_blocks",
    "parallel_chunksize": "compiler.rewriting.parallel_threads",
    "set_num_threads": "compiler.rewriting.parallel_threads",
    "set_parallel_chunksize": "compiler.rewriting.parallel_threads",
    "stencil": "compiler.rewriting.stencil",
    "threading_layer": "compiler.rewriting.parallel_threads",
    "typeof": "types",
    "vectorize": "ufuncs.vectorized",
}


def load_ipython_extension(shell):
    """``%load_ext heddle``: makes ``numba`` and ``numba.cuda`` import Heddle in this session, shows the output of
    kernels in the cell, and adds ``%%heddle compile``, which shows the code of a cell's kernels."""
    _load_module("notebook.extension").install_standins_and_magic(shell)


def unload_ipython_extension(shell):
    """``%unload_ext heddle``: undoes load_ipython_extension. Names imported before keep referring to Heddle."""
    _load_module("notebook.extension").uninstall_standins_and_magic(shell)


def _load_module(name):
    return importlib.import_module(f"heddle.{name}")  # late: see above


def __getattr__(name):
    if name in _modules:
        return _load_module(name)
    if name in _module_of:
        return getattr(_load_module(_module_of[name]), name)
    if not name.startswith("_"):
        from heddle import types  # late: loads NumPy and the compiler

        if name in types.type_names:
            return getattr(types, name)
        if name in ("carray", "farray", "prange"):
            from heddle.compiler.intrinsics import find_intrinsic  # late: loads the compiler

            return find_intrinsic(f"heddle.{name}")
    from heddle.support.missing_names import make_missing_name_error  # late: for wrong names only

    raise make_missing_name_error("heddle", name)


def __dir__():
    from heddle import types  # late: loads NumPy and the compiler

    special = (name for name in globals() if name.startswith("__"))
    shown = ("config", "cuda", "errors", "experimental", "extending", "typed", "types")
    return sorted({*special, *__all__, *_module_of, *shown, *types.type_names})


def _is_switched_on_by_environment(name):
    given = os.environ.get(name, "0") not in ("", "0")
    return given and _load_module("support.environment_variables").read_switch(name)


if _is_switched_on_by_environment("HEDDLE_CHECK"):
    _load_module("checking.process").check_this_process()
elif "HEDDLE_TRACE" in os.environ:
    _load_module("tracing.process").start_tracing_this_process()
elif os.environ.get("HEDDLE_REPLAY", "0") not in ("", "0"):
    _load_module("replay.recorder").start_recording_this_process(os.environ["HEDDLE_REPLAY"])
