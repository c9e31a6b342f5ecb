"""cupy.cuda: devices, streams, events and memory."""

import contextlib

from heddle.compat.cupy import (
    compiler,
    driver,
    memory,
    memory_hooks,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    texture,
)
from heddle.compat.cupy import devices as device
from heddle.compat.cupy import graphs as graph
from heddle.compat.cupy import memory_hooks as memory_hook
from heddle.compat.cupy import streams as stream
from heddle.compat.cupy.compiled import functions as function
from heddle.compat.cupy.compiled.functions import Function, Module, compile_with_cache
from heddle.compat.cupy.compiled.toolkit import (
    get_cub_path,
    get_cuda_path,
    get_nvcc_path,
    get_rocm_path,
)
from heddle.compat.cupy.compiler import CompileException
from heddle.compat.cupy.devices import Device, get_device_id
from heddle.compat.cupy.graphs import Graph
from heddle.compat.cupy.libraries import curand, nvrtc
from heddle.compat.cupy.memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    OutOfMemoryError,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from heddle.compat.cupy.memory_hooks import MemoryHook
from heddle.compat.cupy.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from heddle.compat.cupy.runtime import runtimeGetVersion as get_local_runtime_version
from heddle.compat.cupy.streams import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)
from heddle.support.missing_names import make_missing_name_error

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "CompileException",
    "Device",
    "Event",
    "ExternalStream",
    "Function",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "Module",
    "OutOfMemoryError",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compile_with_cache",
    "compiler",
    "curand",
    "device",
    "driver",
    "function",
    "get_allocator",
    "get_cub_path",
    "get_cuda_path",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "get_local_runtime_version",
    "get_nvcc_path",
    "get_rocm_path",
    "graph",
    "is_available",
    "malloc_async",
    "malloc_managed",
    "memory",
    "memory_hook",
    "memory_hooks",
    "nvrtc",
    "nvtx",
    "pinned_memory",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "texture",
    "using_allocator",
]


@contextlib.contextmanager
def profile():
    """Context manager that calls ``profiler.start()`` on entry and ``profiler.stop()`` on exit."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


def is_available():
    """True: the CPU device counts as a device."""
    return True


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda", name)
