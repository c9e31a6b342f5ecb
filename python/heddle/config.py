"""Settings, from the environment.

A setting FOO is read from HEDDLE_FOO, else from NUMBA_FOO. A program may assign to the attribute later. Variables are
read when this module is imported, and again when a program imports numba: under ``heddle run`` it may have set
variables in between. The names are those of numba.core.config, so that programs that read or set them run. Most
settings configure numba's compiler and have no effect here.

>>> heddle.config.DISABLE_JIT
"""

import os
import sys
import warnings as _warnings
from types import ModuleType as _ModuleType

from heddle.errors import NumbaSystemWarning as _NumbaSystemWarning
from heddle.support import environment_variables as _variables
from heddle.support.missing_names import make_missing_name_error as _missing_name


def _read_setting(name, default):
    text = os.environ.get(f"HEDDLE_{name}", os.environ.get(f"NUMBA_{name}"))
    if text is None or text.strip() == "":
        return default
    try:
        return _variables.find_allowed_values(f"HEDDLE_{name}", default).parse(text)
    except ValueError:
        return default


class _OptLevel(int):
    """numba's class for ``OPT``."""


def _read_bounds_check():
    """BOUNDSCHECK for host functions: 0 and 1 turn index checks off and on; None leaves it to the decorators."""
    given = _read_setting("BOUNDSCHECK", -1)
    return None if given < 0 else given


NUMBA_DEFAULT_NUM_THREADS = os.cpu_count() or 1

# The settings that Heddle reads: the variable's name and the default, or a function that reads it.
_read_here = {
    "CACHE_DIR": ("CACHE_DIR", ""),
    "OPT": lambda: _OptLevel(_read_setting("OPT", 3)),
    "DEBUGINFO_DEFAULT": ("DEBUGINFO", 0),
    "CUDA_DEBUGINFO_DEFAULT": ("CUDA_DEBUGINFO", 0),
    "CUDA_LOW_OCCUPANCY_WARNINGS": ("CUDA_LOW_OCCUPANCY_WARNINGS", 0),
    "CUDA_WARN_ON_IMPLICIT_COPY": ("CUDA_WARN_ON_IMPLICIT_COPY", 0),
    "FULL_TRACEBACKS": ("FULL_TRACEBACKS", 0),
    # Warn about lossy conversions when compiling a kernel.
    "WARNINGS": ("WARNINGS", 0),
    # Run kernels and host functions as plain Python.
    "DISABLE_JIT": ("DISABLE_JIT", 0),
    # Replace numba's simulator: kernels run on the CPU device, or as plain Python if they do not compile
    # (heddle.compiler.plain.simulator).
    "ENABLE_CUDASIM": ("ENABLE_CUDASIM", 0),
    "DISABLE_CUDA": ("DISABLE_CUDA", 0),
    "BOUNDSCHECK": _read_bounds_check,
    "CUDA_ARRAY_INTERFACE_SYNC": ("CUDA_ARRAY_INTERFACE_SYNC", 1),
    "CUDA_DEALLOCS_COUNT": ("CUDA_MAX_PENDING_DEALLOCS_COUNT", 10),
    "CUDA_DEALLOCS_RATIO": ("CUDA_MAX_PENDING_DEALLOCS_RATIO", 0.2),
    "CUDA_MEMORY_MANAGER": ("CUDA_MEMORY_MANAGER", "default"),
    # Include folders for CUDA C++ that Python kernels link, separated by colons.
    "CUDA_NVRTC_EXTRA_SEARCH_PATHS": ("CUDA_NVRTC_EXTRA_SEARCH_PATHS", ""),
    "CUDA_PER_THREAD_DEFAULT_STREAM": ("CUDA_PER_THREAD_DEFAULT_STREAM", 0),
    "NUMBA_NUM_THREADS": ("NUM_THREADS", NUMBA_DEFAULT_NUM_THREADS),
}
# Addresses are ints and ctypes values, not objects of NVIDIA's Python bindings.
CUDA_USE_NVIDIA_BINDING = 0

# Constants that describe the machine.
PYVERSION = sys.version_info[:2]
IS_WIN32 = sys.platform.startswith("win32")
IS_OSX = sys.platform.startswith("darwin")
MACHINE_BITS = 64 if sys.maxsize > 2**32 else 32
IS_32BITS = MACHINE_BITS == 32

# Settings that programs read and set but Heddle ignores: flags, off by default, and others.
_flags = [
    "ALWAYS_WARN_UNINIT_VAR",
    "ANNOTATE",
    "CHROME_TRACE",
    "CUDA_DEBUG_POLY",
    "CUDA_DEBUG_POLY_USE_TYPED_CONST",
    "CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY",
    "CUDA_ENABLE_NRT",
    "CUDA_LOG_API_ARGS",
    "CUDA_NRT_STATS",
    "DEBUG",
    "DEBUG_ARRAY_OPT",
    "DEBUG_ARRAY_OPT_RUNTIME",
    "DEBUG_ARRAY_OPT_STATS",
    "DEBUG_CACHE",
    "DEBUG_FRONTEND",
    "DEBUG_INLINE_CLOSURE",
    "DEBUG_JIT",
    "DEBUG_NRT",
    "DEBUG_NRT_STACK_LIMIT",
    "DEBUG_TYPEINFER",
    "DEVELOPER_MODE",
    "DIFF_IR",
    "DISABLE_INTEL_SVML",
    "DISABLE_PERFORMANCE_WARNINGS",
    "DISABLE_TYPEINFER_FAIL_CACHE",
    "DUMP_ASSEMBLY",
    "DUMP_BYTECODE",
    "DUMP_CFG",
    "DUMP_FUNC_OPT",
    "DUMP_IR",
    "DUMP_LLVM",
    "DUMP_OPTIMIZED",
    "DUMP_SSA",
    "ENABLE_PROFILING",
    "ENABLE_SYS_MONITORING",
    "EXTEND_VARIABLE_LIFETIMES",
    "HIGHLIGHT_DUMPS",
    "JIT_COVERAGE",
    "LLVM_PASS_TIMINGS",
    "NRT_STATS",
    "PARALLEL_DIAGNOSTICS",
    "RUNNING_UNDER_PROFILER",
    "SHOW_HELP",
    "SLP_VECTORIZE",
    "TRACE",
    "USING_SVML",
]
_others = {
    "CACHE_LOCATOR_CLASSES": "",
    "COLOR_SCHEME": "no_color",
    "CPU_FEATURES": None,
    "CPU_NAME": None,
    "CUDA_DEFAULT_PTX_CC": (7, 5),
    "CUDA_DRIVER": "",
    "CUDA_INCLUDE_PATH": "",
    "CUDA_LOG_LEVEL": "",
    "CUDA_LOG_SIZE": 1024,
    "CUDA_VERBOSE_JIT_LOG": 1,
    "DEBUG_PRINT_AFTER": "none",
    "DEBUG_PRINT_BEFORE": "none",
    "DEBUG_PRINT_WRAP": "none",
    "ENABLE_AVX": 1,
    "FORCE_CUDA_CC": None,
    "FUNCTION_CACHE_SIZE": 128,
    "GDB_BINARY": "gdb",
    "HTML": None,
    "LLVM_REFPRUNE_FLAGS": "all",
    "LLVM_REFPRUNE_PASS": 1,
    "LOOP_VECTORIZE": 1,
    "PARFOR_MAX_TUPLE_SIZE": 100,
    "THREADING_LAYER": "default",
    "THREADING_LAYER_PRIORITY": ["tbb", "omp", "workqueue"],
    "USE_LLVMLITE_MEMORY_MANAGER": None,
}
_settings = {
    **_read_here,
    **{name: (name, 0) for name in _flags},
    **{name: (name, default) for name, default in _others.items()},
}


def list_environment_variables():
    """The names of all environment variables that Heddle reads, or that it accepts because numba reads them."""
    here = {source[0] for source in _settings.values() if not callable(source)}
    here |= {"BOUNDSCHECK", "OPT"}
    prefixed = {f"{prefix}_{name}" for prefix in ("HEDDLE", "NUMBA") for name in here}
    return prefixed | _variables.list_documented_names() | set(_variables.INTERNAL_VARIABLES)


def find_wrong_values():
    """The variables whose values have no effect, as environment_variables.WrongValues."""
    known = list_environment_variables()
    return [wrong for wrong in _variables.find_wrong_values() if wrong.name in known]


_warned = {}  # of a value once


def _warn_of_wrong_values():
    for wrong in find_wrong_values():
        if not wrong.variable.raises:
            text = f"{wrong.describe()}\n  hint: {wrong.format_advice()}"
            _warnings.warn_explicit(text, _NumbaSystemWarning, "environment", 1, registry=_warned)


def _call_or_read_setting(source):
    return source() if callable(source) else _read_setting(*source)


_as_read = {name: _call_or_read_setting(source) for name, source in _settings.items()}
globals().update(_as_read)
_warn_of_wrong_values()
if _as_read["ENABLE_CUDASIM"]:
    os.environ.setdefault("HEDDLE_DEVICE", "cpu")


# Settings that the launch path caches.
_launch_settings = (
    "CUDA_LOW_OCCUPANCY_WARNINGS",
    "CUDA_WARN_ON_IMPLICIT_COPY",
    "DISABLE_PERFORMANCE_WARNINGS",
)


def update_launch_warnings():
    """Passes the warning settings to the launch path, if it is loaded."""
    launches = sys.modules.get("heddle._heddle")
    if launches is not None:
        small_grids, host_arrays, disabled = (
            bool(_to_int_or_bool(globals()[n])) for n in _launch_settings
        )
        launches.set_launch_warnings(small_grids and not disabled, host_arrays and not disabled)


def _to_int_or_bool(value):
    try:
        return int(value)
    except (TypeError, ValueError):
        return bool(value)


class _Settings(_ModuleType):
    """The type of this module. Forwards assignments that the launch path must know."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name in _launch_settings:
            update_launch_warnings()


sys.modules[__name__].__class__ = _Settings


def reload_config():
    """Rereads the environment. A setting that the program has assigned keeps its value.

    As in numba, the number of threads is fixed once they have started.
    """
    for name, source in _settings.items():
        value = _call_or_read_setting(source)
        if globals()[name] == _as_read[name]:
            globals()[name] = value
        _as_read[name] = value
    _warn_of_wrong_values()
    if globals()["ENABLE_CUDASIM"]:
        os.environ.setdefault("HEDDLE_DEVICE", "cpu")
    update_launch_warnings()


def __getattr__(name):
    raise _missing_name("heddle.config", name)
