"""Settings, read once from the environment.

A setting FOO is taken from HEDDLE_FOO or, failing that, from NUMBA_FOO; a program may assign to the attribute later.
The names are those of numba.core.config, so that programs that read or set them run. Most configure numba's own
compiler and have no effect here.
"""

import os

from heddle.missing_names import missing_name as _missing_name


def _setting(name, default):
    text = os.environ.get(f"HEDDLE_{name}", os.environ.get(f"NUMBA_{name}"))
    if text is None or text.strip() == "":
        return default
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        try:
            return type(default)(text)
        except ValueError:
            return default
    return text


CACHE_DIR = _setting("CACHE_DIR", "")
OPT = _setting("OPT", 3)
DEBUGINFO_DEFAULT = _setting("DEBUGINFO", 0)
CUDA_DEBUGINFO_DEFAULT = _setting("CUDA_DEBUGINFO", 0)
CUDA_LOW_OCCUPANCY_WARNINGS = _setting("CUDA_LOW_OCCUPANCY_WARNINGS", 0)
CUDA_WARN_ON_IMPLICIT_COPY = _setting("CUDA_WARN_ON_IMPLICIT_COPY", 0)
FULL_TRACEBACKS = _setting("FULL_TRACEBACKS", 0)

# There is no simulator: kernels are compiled for every device.
ENABLE_CUDASIM = 0
DISABLE_CUDA = 0
DISABLE_JIT = 0
BOUNDSCHECK = _setting("BOUNDSCHECK", 0)
CUDA_ARRAY_INTERFACE_SYNC = _setting("CUDA_ARRAY_INTERFACE_SYNC", 1)
CUDA_DEALLOCS_COUNT = _setting("CUDA_MAX_PENDING_DEALLOCS_COUNT", 10)
CUDA_DEALLOCS_RATIO = _setting("CUDA_MAX_PENDING_DEALLOCS_RATIO", 0.2)
CUDA_LOG_LEVEL = _setting("CUDA_LOG_LEVEL", "")
CUDA_MEMORY_MANAGER = _setting("CUDA_MEMORY_MANAGER", "default")
CUDA_PER_THREAD_DEFAULT_STREAM = _setting("CUDA_PER_THREAD_DEFAULT_STREAM", 0)
CUDA_USE_NVIDIA_BINDING = (
    0  # addresses are ints and ctypes values, not objects of NVIDIA's bindings
)
DEBUG = _setting("DEBUG", 0)
DEVELOPER_MODE = _setting("DEVELOPER_MODE", 0)
DISABLE_PERFORMANCE_WARNINGS = _setting("DISABLE_PERFORMANCE_WARNINGS", 0)
SHOW_HELP = _setting("SHOW_HELP", 0)
NUMBA_DEFAULT_NUM_THREADS = os.cpu_count() or 1
NUMBA_NUM_THREADS = _setting("NUM_THREADS", NUMBA_DEFAULT_NUM_THREADS)


def __getattr__(name):
    raise _missing_name("heddle.config", name)
